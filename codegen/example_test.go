package codegen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

func exampleOf(c toolscript.Catalog, t toolscript.Tool) string {
	return codegen.Example(t, naming.New(c).Call(t))
}

func TestExample(t *testing.T) {
	const declared = "declare const params: Parameters<typeof tools.s.t>[0];\nconst result = await tools.s.t(params);\n"
	for name, tt := range map[string]struct{ schema, want string }{
		"no schema":            {``, "const result = await tools.s.t();\n"},
		"nothing required":     {`{"type":"object","properties":{"a":{"type":"string"}}}`, "const result = await tools.s.t({});\n"},
		"one of each":          {`{"type":"object","properties":{"a-b":{"type":"string"},"n":{"type":"integer","minimum":3},"x":{"type":"number"},"f":{"type":"boolean"},"l":{"type":"array"},"c":{"const":null},"e":{"enum":["<\u2028>","y"]},"o":{"type":"object","properties":{"i":{"type":"string"}},"required":["i"]}},"required":["a-b","n","x","f","l","c","e","o"]}`, `const result = await tools.s.t({ "a-b": "<a-b>", n: 3, x: 1, f: true, l: [], c: null, e: "<\u2028>", o: { i: "<i>" } });` + "\n"},
		"a default":            {`{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"string"}},"required":["a","b"]}`, "const result = await tools.s.t({ b: \"<b>\" });\n"},
		"a choice":             {`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}},"required":["a"]}`, declared},
		"a reference":          {`{"type":"object","properties":{"a":{"$ref":"#/x"}},"required":["a"]}`, declared},
		"required and unknown": {`{"type":"object","required":["a"]}`, declared},
		"no schema at all":     {`true`, declared},
		"deep":                 {strings.Repeat(`{"type":"object","required":["a"],"properties":{"a":`, 50) + `{}` + strings.Repeat(`}}`, 50), declared},
	} {
		t.Run(name, func(t *testing.T) {
			c := withInput(tt.schema)
			got := exampleOf(c, c.Tools()[0])
			if want := "import { tools } from \"toolscript\";\n" + tt.want; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			parse(t, "example.ts", got)
		})
	}
}

// TestExamplesFitTheirTypes uses every real tool, and unusual schemas.
func TestExamplesFitTheirTypes(t *testing.T) {
	tools, _ := corpus(t)
	for i, schema := range []string{
		``, `{}`, `true`, `{"type":"object"}`, `{"properties":{"a":{}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"string","enum":[1,"b"]}},"required":["a"]}`,
		`{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}`,
		`{"type":"string"}`, `{"type":"object","properties":{"a":false},"required":["a"]}`,
		`{"type":"object","minProperties":1}`, `{"type":"object","properties":{"a":{"type":"number","const":2}},"required":["a","a"]}`,
	} {
		tools = append(tools, toolscript.Tool{Server: "odd", Name: fmt.Sprint("t", i), InputSchema: json.RawMessage(schema)})
	}
	c := catalog(tools...)
	files := map[string]string{"toolscript.d.ts": module(c, codegen.Options{Form: codegen.Declarations}).Text}
	declared := 0
	for i, tool := range c.Tools() {
		text := exampleOf(c, tool)
		declared += strings.Count(text, "declare const")
		files[fmt.Sprintf("example%d.ts", i)] = text
	}
	t.Logf("%d examples, %d of them with a declared variable", c.Len(), declared)
	mustTypecheck(t, files)
}
