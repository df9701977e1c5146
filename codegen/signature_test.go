package codegen_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

func TestSignature(t *testing.T) {
	for _, test := range []struct {
		name, input, output string
		most                int
		want                string
	}{
		{"no parameters", ``, ``, 300, `tools.s.t(): Promise<any>`},
		{"required and optional", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"enum":["x","y"]}}},"required":["a"]}`,
			`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, 300,
			`tools.s.t(params: { a: string; b?: ("x" | "y")[] }): Promise<{ n: number }>`},
		{"inner types first", `{"type":"object","properties":{"a":{"type":"string"},"o":{"type":"object","properties":{"inner":{"type":"string"}}}},"required":["a"]}`,
			`{"type":"object","properties":{"n":{"type":"integer"}}}`, 60,
			`tools.s.t(params: { a: string; o?: { … } }): Promise<{ … }>`},
		{"then optional arguments", `{"type":"object","properties":{"aaaaaaaaaa":{"type":"string"},"bbbbbbbbbb":{"type":"string"},"cc":{"type":"string"}},"required":["cc"]}`, ``, 60,
			`tools.s.t(params: { cc: string; … }): Promise<…>`},
		{"then all", `{"type":"object","properties":{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":{"type":"string"}},"required":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}`, ``, 20, `tools.s.t(…)`},
		{"a reference to itself", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, ``, 300,
			`tools.s.t(params?: { a?: { a?: { a?: { … } } } }): Promise<any>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tool := toolscript.Tool{Server: "s", Name: "t"}
			if test.input != "" {
				tool.InputSchema = json.RawMessage(test.input)
			}
			if test.output != "" {
				tool.OutputSchema = json.RawMessage(test.output)
			}
			if got := codegen.Signature(tool, "tools.s.t", test.most); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestSignaturesAreShort checks the signature of every real tool.
func TestSignaturesAreShort(t *testing.T) {
	tools, _ := corpus(t)
	for _, tool := range tools {
		s := codegen.Signature(tool, "tools.x.y", 300)
		if n := utf8.RuneCountInString(s); n > 300 || strings.Contains(s, "\n") {
			t.Errorf("%s: %d characters: %s", tool.ID(), n, s)
		}
	}
}

func TestDeprecated(t *testing.T) {
	for description, want := range map[string]bool{
		"Read a file as text. DEPRECATED: Use read_text_file instead.": true,
		"[Deprecated] Reads.":           true,
		"Deprecated, use other.":        true,
		"This tool is deprecated.":      true,
		"Lists deprecated packages.":    false,
		"Finds what nobody uses.":       false,
		"Marks a version (deprecated).": true,
	} {
		if got := codegen.Deprecated(toolscript.Tool{Description: description}); got != want {
			t.Errorf("%q: %v", description, got)
		}
	}
}
