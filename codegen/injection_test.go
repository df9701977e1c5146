package codegen_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/toolscript/toolscript/codegen"
)

// outside returns the code of a module: its text without comments, and with an empty
// string for each string literal. It fails the test if a comment or a string is not
// closed.
func outside(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				t.Fatalf("a comment is not closed: %q", rest[:min(len(rest), 80)])
			}
			i += 2 + end + 2
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexAny(rest, "\n\r\u2028\u2029")
			if end < 0 {
				end = len(rest)
			}
			i += end
		case rest[0] == '"' || rest[0] == '\'':
			i += quoted(t, rest)
			b.WriteString(`""`)
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String()
}

// quoted returns the length of the string literal at the start of s.
func quoted(t *testing.T, s string) int {
	t.Helper()
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n', '\r':
			t.Fatalf("a line ends inside a string: %q", s[:i])
		case s[0]:
			return i + 1
		}
	}
	t.Fatalf("a string is not closed: %q", s[:min(len(s), 80)])
	return 0
}

// FuzzText checks that text of a server, in names and in descriptions, appears only
// in comments and string literals, and that the module has the usual exports.
func FuzzText(f *testing.F) {
	for _, text := range breakouts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		marked := "qqstolenqq " + text + " qqstolenqq"
		for name, form := range forms {
			module := module(catalog(hostileTool(marked)), codegen.Options{Form: form}).Text
			code := outside(t, module)
			for _, r := range code {
				if r > unicode.MaxASCII && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r < ' ' && r != '\n' {
					t.Fatalf("%s: %q stands in the code\n%s", name, r, code)
				}
			}
			if strings.Contains(code, "qqstolenqq ") || strings.Contains(code, "`") && form != codegen.Full {
				t.Fatalf("%s: text of the server stands in the code\n%s", name, code)
			}
			javascript, exports := parse(t, name, module)
			if want := exported[form]; len(exports) != len(want) {
				t.Fatalf("%s exports %q, want %q", name, exports, want)
			}
			if form != codegen.Full && strings.TrimSpace(javascript) != "" && javascript != "export{};\n" {
				t.Fatalf("%s holds code: %s", name, javascript)
			}
		}
	})
}

// TestOutside checks that outside reads a text as a parser does.
func TestOutside(t *testing.T) {
	const text = "a /* b ' \" */ c \"d /* \\\" e\" f // g \" h\ni 'j' k"
	if got, want := outside(t, text), "a  c \"\" f \ni \"\" k"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTextsOfServersDoNotChangeTheCode checks that servers with equal names and different
// texts give the same code.
func TestTextsOfServersDoNotChangeTheCode(t *testing.T) {
	code := func(text string, form codegen.Form) string {
		tool := hostileTool("x")
		tool.Description, tool.Title = text, text
		schema, err := json.Marshal(map[string]any{
			"description": text, "required": []string{"a"},
			"properties": map[string]any{"a": map[string]any{"type": "string", "description": text, "pattern": text, "default": text, "enum": []string{text, "y"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		tool.InputSchema, tool.OutputSchema = schema, schema
		return outside(t, module(catalog(tool), codegen.Options{Form: form}).Text)
	}
	for name, form := range forms {
		plain := strings.Join(strings.Fields(code("words", form)), " ")
		for _, text := range breakouts {
			if got := strings.Join(strings.Fields(code(text, form)), " "); got != plain {
				t.Errorf("%s: %q changes the code\n%s\nwant\n%s", name, text, got, plain)
			}
		}
	}
}
