package hook

import (
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxScript bounds the text of a script that is searched for names, in bytes.
const maxScript = 1 << 20

// mostNamed is the most tools that a question names.
const mostNamed = 5

// approvalNeeded returns the tools that need an approval and are named in a command of an agent, or in a
// script of the command. It may return a tool that the script does not call, and miss a tool whose name the
// script computes: the gateway asks in any case.
func approvalNeeded(a *app.App, command string, project PermissionProject) []string {
	if !strings.Contains(command, "toolscript") {
		return nil
	}
	loaded, err := silent(a).Load(false)
	if err != nil {
		return nil // session-start has shown what is wrong with the files
	}
	texts := scripts(command, project)
	words := wordsOf(command)
	if words["run"] {
		for _, s := range loaded.Scripts {
			if s.Trusted && words[s.Name] {
				texts += s.Code + "\n"
			}
		}
	}
	if texts == "" && !words["exec"] && !words["call"] {
		return nil // the command calls no tool
	}
	approvals := loaded.Settings.Approvals
	asks := approvals.Asks()
	catalog, err := knownTools(a, loaded, func(c upstream.Config) bool { return asks || c.Kind().Flat })
	if err != nil {
		return nil // as above
	}
	words = wordsOf(command + "\n" + texts)
	names := naming.New(catalog)
	var found []string
	for _, tool := range catalog.Tools() {
		if approvals.Decide(tool) != toolscript.ApprovalAsk {
			continue
		}
		server, named, ok := names.Tool(tool)
		if ok && (words[tool.ID()] || words[toolscript.WithoutAccount(names.Servers[server].Ident)] && (words[named.Ident] || words[tool.Name])) {
			found = append(found, tool.ID())
		}
	}
	slices.Sort(found)
	return found
}

// question returns the text that asks a person about tools.
func question(tools []string) string {
	more := ""
	if len(tools) > mostNamed {
		tools, more = tools[:mostNamed], " and others"
	}
	return "the script names tools that need your approval: " + strings.Join(tools, ", ") + more
}

// scripts returns the texts of the project's scripts that a command names.
func scripts(command string, project PermissionProject) string {
	var all strings.Builder
	for word := range strings.FieldsFuncSeq(command, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`'"=;&|<>()`, r) }) {
		if !project.Script(word) {
			continue
		}
		if f, err := os.Open(files.Absolute(project.Dir, word)); err == nil { //nolint:gosec // a script of the project; the command reports an error
			text, _ := io.ReadAll(io.LimitReader(f, maxScript)) // as above
			_ = f.Close()                                       // it was only read
			all.Write(text)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// wordsOf returns the set of the identifiers in a text.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && r != '$' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		words[word] = true
	}
	return words
}
