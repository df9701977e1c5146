package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/cli"
)

// notRun maps commands of the documentation that no script runs to the reason.
var notRun = map[string]string{
	"toolscript gateway start": "it does not end; the command gateway of the scripts runs it",
}

// otherPrograms are programs of other projects that the documentation uses.
var otherPrograms = []string{"docker", "systemctl", "journalctl", "launchctl", "id", "cp", "brew", "npx", "sudo", "npm", "curl", "go", "gh", "git", "echo", "cat", "source", "export", "jq", "nats-server"}

// TestDocumentedCommands checks that a script runs each toolscript command that the README, a page of
// docs or the help shows, and compares its output.
func TestDocumentedCommands(t *testing.T) {
	ran := ranCommands(t)
	all := append(commandsOfPages(t), commandsOfHelp(t)...)
	if len(all) < 100 {
		t.Fatalf("found only %d commands", len(all))
	}
	for _, c := range all {
		line := strings.Join(c.args, " ")
		if _, known := notRun[line]; known {
			continue
		}
		if compared, found := ran[normal(c.args)]; !found {
			t.Errorf("%s: no script runs %s", c.where, line)
		} else if !compared {
			t.Errorf("%s: a script runs %s, and compares nothing of its output", c.where, line)
		}
	}
}

// TestDocumentedRequests checks that docs-gateway.txtar makes the requests that the documentation shows.
func TestDocumentedRequests(t *testing.T) {
	script, count := read(t, "testdata/docs-gateway.txtar"), 0
	for _, page := range pages(t) {
		for _, b := range codeBlocks(read(t, page)) {
			for line := range strings.Lines(b.text) {
				if b.language != "sh" || !strings.HasPrefix(line, "curl ") {
					continue
				}
				if count++; !strings.Contains(script, "\n"+line) {
					t.Errorf("%s:%d: docs-gateway.txtar lacks %s", page, b.line, line)
				}
			}
		}
	}
	if count < 3 {
		t.Errorf("found only %d requests", count)
	}
}

// shownCommand is a toolscript command in a text.
type shownCommand struct {
	where string
	args  []string
}

func commandsOfPages(t *testing.T) (all []shownCommand) {
	t.Helper()
	for _, page := range pages(t) {
		for _, b := range codeBlocks(read(t, page)) {
			if b.language == "sh" {
				all = append(all, commandsIn(t, fmt.Sprintf("%s:%d", page, b.line), b.text)...)
			}
		}
	}
	return all
}

// pages returns the paths of the user documentation.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(all) < 8 {
		t.Fatal(all, err)
	}
	return append(all, "../../README.md", "../../plugins/toolscript/README.md")
}

type codeBlock struct {
	language, text string
	line           int // number of its first line
}

func codeBlocks(page string) (all []codeBlock) {
	var open *codeBlock
	fence := ""
	for i, line := range strings.Split(page, "\n") {
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open == nil && len(marks) >= 3:
			open, fence = &codeBlock{language: line[len(marks):], line: i + 2}, marks
		case open != nil && line == fence:
			all, open = append(all, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return all
}

// commandsOfHelp returns the commands in the examples of the help, and in the indented lines of its
// texts.
func commandsOfHelp(t *testing.T) (all []shownCommand) {
	t.Helper()
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Name() == "completion" { // its texts are those of cobra
			return
		}
		for _, text := range []string{c.Long, c.Example} {
			for _, block := range indented(text) {
				all = append(all, commandsIn(t, "the help of "+c.CommandPath(), block)...)
			}
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(cli.Commands())
	return all
}

var startsCommand = regexp.MustCompile(`(^|[|] )toolscript `)

// indented returns the blocks of indented lines that contain commands.
func indented(text string) (blocks []string) {
	block := ""
	for line := range strings.Lines(text + "\n") {
		inside := strings.HasPrefix(line, "  ")
		switch {
		case inside && (block != "" || startsCommand.MatchString(strings.TrimSpace(line))):
			block += strings.TrimPrefix(line, "  ")
		case !inside && block != "":
			blocks, block = append(blocks, block), ""
		}
	}
	if block != "" {
		blocks = append(blocks, block)
	}
	return blocks
}

// commandsIn returns the toolscript commands in a shell script. A program that is not in otherPrograms
// fails the test.
func commandsIn(t *testing.T, where, script string) (all []shownCommand) {
	t.Helper()
	commands, err := commandsOf(script)
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	for _, args := range commands {
		switch {
		case args[0] == "toolscript":
			all = append(all, shownCommand{where, args})
		case !slices.Contains(otherPrograms, args[0]):
			t.Errorf("%s: unknown program %s", where, args[0])
		}
	}
	return all
}

// commandsOf returns the words of each command in a shell script.
func commandsOf(script string) (all [][]string, err error) {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, is := n.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		var args []string
		for _, word := range call.Args {
			args = append(args, wordText(word.Parts))
		}
		all = append(all, args)
		return true
	})
	return all, nil
}

// wordText returns a word of a shell script without quotation marks.
func wordText(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			b.WriteString(wordText(part.Parts))
		case *syntax.ParamExp:
			b.WriteString("$" + part.Param.Value)
		default:
			fmt.Fprintf(&b, "%T", part)
		}
	}
	return b.String()
}

// ranCommands returns the commands that the scripts run. The value says whether a script checks what the
// command prints or writes.
func ranCommands(t *testing.T) map[string]bool {
	t.Helper()
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, name := range scripts {
		var last []string
		for line := range strings.Lines(read(t, name)) {
			if strings.HasPrefix(line, "-- ") {
				break // the files of the script follow
			}
			words := scriptWords(strings.TrimPrefix(strings.TrimSpace(line), "! "))
			if len(words) == 0 {
				continue
			}
			switch {
			case words[0] == "exec":
				last = programCommands(words[1:])
			case slices.Contains([]string{"stdout", "stderr", "cmp", "cmpenv", "exists", "grep"}, words[0]):
				for _, command := range last {
					ran[command] = true
				}
			}
			for _, command := range last {
				ran[command] = ran[command] || false
			}
		}
	}
	return ran
}

// programCommands returns the toolscript commands in one command of a script.
func programCommands(words []string) (all []string) {
	if words[0] == "code" || words[0] == "drive" { // code N COMMAND, drive WHAT COMMAND
		words = words[2:]
	}
	if words[0] == "toolscript" {
		return []string{normal(words)}
	}
	if len(words) < 3 || words[0] != "sh" || words[1] != "-c" {
		return nil
	}
	commands, err := commandsOf(words[2])
	if err != nil {
		return nil
	}
	for _, c := range commands {
		if c[0] == "toolscript" {
			all = append(all, normal(c))
		}
	}
	return all
}

// scriptWords splits a line into words like testscript.
func scriptWords(line string) (words []string) {
	var b strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\'' && i+1 < len(line) && line[i+1] == '\'':
			b.WriteByte(c)
			i++
		case c == '\'':
			quoted, begun = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			if begun {
				words = append(words, b.String())
			}
			b.Reset()
			begun = false
		case !quoted && c == '#':
			i = len(line)
		default:
			b.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, b.String())
	}
	return words
}

var (
	runID      = regexp.MustCompile(`\brun_[0-9a-zA-Z]+`)
	approvalID = regexp.MustCompile(`\bapr_[0-9a-z]+`)
	spaces     = regexp.MustCompile(`\s+`)
)

// normal returns a command line in the form for comparisons. It replaces ids by the variables run and
// approval, in which scripts have the ids of their own runs.
func normal(args []string) string {
	var trimmed []string
	for _, arg := range args {
		trimmed = append(trimmed, strings.TrimSpace(arg))
	}
	text := strings.Join(trimmed, "\x00")
	text = runID.ReplaceAllString(text, "$$run")
	text = approvalID.ReplaceAllString(text, "$$approval")
	return spaces.ReplaceAllString(text, " ")
}

// TestMentionedCommands checks that the commands and flags that the documentation mentions within
// sentences exist.
func TestMentionedCommands(t *testing.T) {
	mention := regexp.MustCompile("`(toolscript [^`]+)`")
	n := 0
	for _, page := range pages(t) {
		for _, m := range mention.FindAllStringSubmatch(read(t, page), -1) {
			n++
			for _, c := range commandsIn(t, page, strings.TrimRight(m[1], "… ")) {
				if err := parses(c.args[1:]); err != nil {
					t.Errorf("%s: %s: %v", page, m[1], err)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("found only %d commands", n)
	}
}

// parses returns the error of the program about a command line, if it does not understand it.
func parses(args []string) error {
	root := cli.Commands()
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.HasSuffix(rest[0], ".ts") {
		return fmt.Errorf("there is no command %s", rest[0])
	}
	c.InitDefaultVersionFlag()
	for _, word := range rest {
		name, isFlag := strings.CutPrefix(word, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && name != "" && name != "help" && c.Flag(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			return fmt.Errorf("%s has no flag --%s", c.CommandPath(), name)
		}
	}
	if c.HasSubCommands() && len(c.Flags().Args()) > 0 {
		return fmt.Errorf("%s has no such command", c.CommandPath())
	}
	return nil
}

// TestDocumentedConfigurations checks that the program accepts each configuration that the documentation
// shows.
func TestDocumentedConfigurations(t *testing.T) {
	n := 0
	for _, page := range pages(t) {
		for _, b := range codeBlocks(read(t, page)) {
			if b.language != "json" {
				continue
			}
			n++
			text := strings.TrimSpace(b.text)
			if !strings.HasPrefix(text, "{") {
				text = "{" + text + "}"
			}
			if !strings.Contains(text, `"mcpServers"`) { // only a part of a file
				text = `{"mcpServers": {}, ` + text[1:]
			}
			text = strings.Replace(text, "127.0.0.1:PORT/CAPABILITY", "127.0.0.1:1/0", 1)
			validate(t, fmt.Sprintf("%s:%d", page, b.line), text)
		}
	}
	if n < 15 {
		t.Errorf("found only %d configurations", n)
	}
}

var (
	variable     = regexp.MustCompile(`\$\{(\w+)\}`)
	secretNotSet = regexp.MustCompile(`(?m)^toolscript: warning: server \S+ would not be started: .*: secret \w+ is not set .*\n`)
)

func validate(t *testing.T, where, text string) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".toolscript.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH")}
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if m[1] != "HOME" {
			env = append(env, m[1]+"=value")
		}
	}
	var stdout, stderr strings.Builder
	code := cli.Run(app.State{
		Args: []string{"config", "validate"}, Env: env, Dir: home,
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
	})
	warnings := secretNotSet.ReplaceAllString(stderr.String(), "")
	if code != 0 || warnings != "" {
		t.Errorf("%s: config validate ends with %d: %s%s", where, code, stdout.String(), warnings)
	}
}
