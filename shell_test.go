package toolscript_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// TestShellWord: a shell reads the result of ShellWord as the original text.
func TestShellWord(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"github", "github"},
		{"my files", "'my files'"},
		{"", "''"},
		{"it's", `'it'\''s'`},
		{"http://127.0.0.1:8080/a-b_c", "http://127.0.0.1:8080/a-b_c"},
		{"io.github.user/server@1.0", "io.github.user/server@1.0"},
		{"~/x", "'~/x'"},
		{"run_1#/0", "'run_1#/0'"},
		{"$HOME", "'$HOME'"},
		{"a|b;c&d", "'a|b;c&d'"},
		{"größe", "größe"},
		{"a\nb", "'a\nb'"},
		{"*", "'*'"},
		{"!!", "'!!'"},
		{`a\b`, `'a\b'`},
		{"a=b", "'a=b'"},
	} {
		word := toolscript.ShellWord(tt.text)
		if word != tt.want {
			t.Errorf("ShellWord(%q) = %s, want %s", tt.text, word, tt.want)
		}
		if runtime.GOOS == "windows" {
			continue
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+word).Output()
		if err != nil || string(out) != tt.text {
			t.Errorf("a shell reads %s as %q (%v), want %q", word, out, err, tt.text)
		}
	}
	if got, want := toolscript.Command("auth", "my files", "--issuer", "https://a.example"), "toolscript auth 'my files' --issuer https://a.example"; got != want {
		t.Errorf("Command: %s, want %s", got, want)
	}
}

// TestPrintedCommands: messages use Command for commands that contain a name or an id, so that a
// person can paste them into a shell.
func TestPrintedCommands(t *testing.T) {
	command := regexp.MustCompile(`toolscript ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?: --?[a-z-]+)* '?(%(\[\d+\])?[-+.\d]*[sqv]|$)`)
	exempt := map[string]string{
		"cmd/runs/runhistory.go":        "the name of a client",
		"cmd/runs/lines.go":             "the name of a client",
		"cmd/app/usage.go":              "a long script is shown as CODE",
		"runner/remote/join.go":         "the name of a connection",
		"transport/hub/host/connect.go": "the name of a connection",
	}
	// printed reports whether a text has a command of the reference with a name after it.
	printed := func(text string) bool {
		for _, match := range command.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("docs/reference", "toolscript_"+strings.ReplaceAll(match[1], " ", "_")+".md")); err == nil {
				return true
			}
		}
		return false
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || path == "test" || strings.HasPrefix(entry.Name(), ".") && path != "."):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		if _, ok := exempt[filepath.ToSlash(path)]; ok {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && printed(text) {
				t.Errorf("%s: %q: make the command with toolscript.Command", set.Position(literal.Pos()), text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
