package script_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	usage   = regexp.MustCompile("(?s)\n## Use\n.*?```sh\n(.*?)```")
	intro   = regexp.MustCompile("(?s)```ts\n(.*?)```")
	message = regexp.MustCompile("(?m)^\\| `(.+?)` \\| ")
	link    = regexp.MustCompile(`\]\(([^)#]+)(?:#[\w-]*)?\)`)
	comment = regexp.MustCompile(`\s+#.*`)
)

// TestReadme checks that readme.txtar runs every example of the README.
func TestReadme(t *testing.T) {
	readme := read(t, "../../README.md")
	script := read(t, "testdata/readme.txtar")
	blocks := intro.FindAllStringSubmatch(readme, -1)
	commands := usage.FindStringSubmatch(readme)
	if len(blocks) == 0 || commands == nil {
		t.Fatal("no ts block, or no sh block under Use")
	}
	for _, block := range blocks {
		if !strings.Contains(script, block[1]) {
			t.Errorf("readme.txtar lacks\n%s", block[1])
		}
	}
	for line := range strings.Lines(commands[1]) {
		line = comment.ReplaceAllString(strings.TrimSpace(line), "")
		if _, after, piped := strings.Cut(line, " | "); piped {
			line = after // in the script, stdin is a file
		}
		want := "\nexec " + line + "\n"
		if line == "toolscript gateway start" {
			want = "\ngateway\n" // the command does not end by itself
		}
		if !strings.Contains(script, want) {
			t.Errorf("readme.txtar lacks %q", want)
		}
	}
}

// TestTroubleshooting checks that the program prints the messages that the documentation's table explains.
func TestTroubleshooting(t *testing.T) {
	printed := read(t, "testdata/messages.txtar")
	messages := message.FindAllStringSubmatch(read(t, "../../docs/troubleshooting.md"), -1)
	if len(messages) < 15 {
		t.Fatalf("only %d messages", len(messages))
	}
	for _, m := range messages {
		if !strings.Contains(printed, m[1]) {
			t.Errorf("messages.txtar lacks %q", m[1])
		}
	}
}

// TestLinks checks that the files to which the documentation links exist, and that the README links to
// every page.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 8 {
		t.Fatal(pages, err)
	}
	readme := read(t, "../../README.md")
	for _, page := range pages {
		if name := "docs/" + filepath.Base(page); !strings.Contains(readme, "]("+name+")") {
			t.Errorf("the README does not link to %s", name)
		}
	}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../ARCHITECTURE.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
