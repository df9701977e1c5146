package codegen_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// breakouts are texts that try to end the comment or string that contains them.
var breakouts = []string{
	"glob **/*.ext and cron */5 * * * *",
	"*/ export const stolen = 1; /*",
	"*\u200b/ export const stolen = 1; /*",
	"a\n*/\nexport const stolen = 1;\n/*",
	"a\u2028*/ export const stolen = 1; //\u2029x",
	"a\r\n * @deprecated\r@ts-expect-error",
	"@ts-expect-error",
	"@ts-nocheck",
	"*\u202e/ bidi \u2066x\u2069",
	"tags \U000e0041\U000e007f and fillers \u3164",
	"</script><script>stolen</script><!--",
	"```\nstolen\n```` ${stolen}",
	"\" }; export const stolen = 1; //",
	"' \\\" \\u002a/ \\",
	"\x00\x1b[31m\x7f\u0085",
	"/",
	"*",
	"// # sourceMappingURL=x",
}

// hostileTool returns a tool with text in every field that a server controls.
func hostileTool(text string) toolscript.Tool {
	schema, err := json.Marshal(map[string]any{
		"description": text, "title": text,
		"properties": map[string]any{
			"a": map[string]any{
				"type": "string", "description": text, "pattern": text, "format": text, "default": text,
				"examples": []string{text}, "contentMediaType": text,
			},
			"b":  map[string]any{"enum": []string{text, "x"}},
			"c":  map[string]any{"const": map[string]any{text: text}},
			"d":  map[string]any{"$ref": "#/$defs/" + text, "description": text},
			text: map[string]any{"type": "number"},
		},
		"required": []string{text, text + "x"},
		"$defs":    map[string]any{text: map[string]any{"type": "object", "description": text}},
	})
	if err != nil {
		panic(err)
	}
	yes := true
	return toolscript.Tool{
		Server: "server " + text, Name: "tool " + text, Title: text, Description: text,
		InputSchema: schema, OutputSchema: schema, Annotations: toolscript.Annotations{ReadOnly: &yes},
	}
}

// TestCommentsCannotBeLeft checks that the module of a hostile server parses and
// type-checks, and has the usual exports.
func TestCommentsCannotBeLeft(t *testing.T) {
	var tools []toolscript.Tool
	for _, text := range breakouts {
		tools = append(tools, hostileTool(text))
	}
	files := map[string]string{}
	for name, form := range forms {
		text := module(catalog(tools...), codegen.Options{Form: form}).Text
		files[name] = text
		javascript, exports := parse(t, name, text)
		if want := exported[form]; !slices.Equal(exports, want) {
			t.Errorf("%s exports %q, want %q", name, exports, want)
		}
		mustNotContain(t, name, stringLiteral.ReplaceAllString(javascript, `""`), "stolen")
		mustNotContain(t, name, text, "\u2028", "\u2029", "\u202e", "\u2066", "\U000e0041", "\u3164", "\x00", "\x1b", "\x7f", "\u0085", "</script", "<!--", "```", "\r")
	}
	mustTypecheck(t, files)
}

var stringLiteral = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// exported are the exported values of each form, as esbuild reports them.
var exported = map[codegen.Form][]string{
	codegen.Full:         {"ToolError", "tools"},
	codegen.Compact:      {},
	codegen.Declarations: {},
}

func mustNotContain(t *testing.T, name, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if at := strings.Index(text, part); at >= 0 {
			t.Errorf("%s contains %q: %q", name, part, text[max(0, at-60):at+20])
		}
	}
}

// TestTraps uses schemas for which a simple generator would write invalid declarations, run
// forever, or end the process.
func TestTraps(t *testing.T) {
	nested := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	var explosion, union strings.Builder
	for i := range 30 {
		union.Reset()
		for j := range 20 {
			fmt.Fprintf(&union, `{"properties": {"p%d": {"const": %d}}, "required": ["p%d"]},`, i, j, i)
		}
		fmt.Fprintf(&explosion, `{"anyOf": [%s{"properties": {"q": {"type": "null"}}}]},`, union.String())
	}
	var chain strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&chain, `"d%d": {"anyOf": [{"$ref": "#/$defs/d%d"}, {"properties": {"x%d": {}}}]},`, i, i+1, i)
	}
	schemas := map[string]string{
		"alias cycle":               `{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`,
		"root is itself":            `{"$ref": "#"}`,
		"root in its own union":     `{"anyOf": [{"$ref": "#"}, {"properties": {"a": {"$ref": "#"}}}]}`,
		"root in its own allOf":     `{"allOf": [{"$ref": "#"}], "properties": {"a": {"type": "string"}}}`,
		"union cycle of two":        `{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, {"type": "string"}]}, "b": {"oneOf": [{"$ref": "#/$defs/a"}, {"type": "number"}]}}}`,
		"recursive index signature": `{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "object", "additionalProperties": {"$ref": "#/$defs/a"}}}}`,
		"recursive tuple":           `{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"prefixItems": [{"$ref": "#/$defs/a"}], "items": {"$ref": "#/$defs/a"}}}}`,
		"recursive array":           `{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}}`,
		"index signature":           `{"properties": {"a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {"type": "array"}}}}, "required": ["a"], "additionalProperties": {"type": "number"}}`,
		"index signatures doubling": nested(60, `{"properties": {"a": `, `{"enum": ["`+strings.Repeat("x", 200)+`"]}`, `}, "additionalProperties": {"type": "null"}}`),
		"intersection explodes":     `{"allOf": [` + strings.TrimSuffix(explosion.String(), ",") + `]}`,
		"chain of 3,000 references": `{"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {` + chain.String() + `"d3000": {"type": "null"}}}`,
		"deep schema":               nested(60, `{"properties": {"a": `, `{"type": "string"}`, `}, "required": ["a"]}`),
		"very deep schema":          nested(9000, `{"not": `, `{}`, `}`),
		"deep default":              `{"properties": {"a": {"default": ` + nested(9000, "[", "", "]") + `}}}`,
		"deep const":                `{"properties": {"a": {"const": ` + nested(400, `{"a":`, "1", "}") + `}}}`,
		"too deep to be read":       `{"properties": {"a": {"default": ` + nested(200_000, "[", "", "]") + `}}}`,
		"large enum":                `{"properties": {"a": {"enum": [` + strings.Repeat(`"x",`, 50_000) + `"y"]}}}`,
		"large const":               `{"properties": {"a": {"const": "` + strings.Repeat("x", 100_000) + `"}}}`,
		"large schema":              `{"description": "` + strings.Repeat("x", 2_000_000) + `"}`,
		"huge tuple":                `{"properties": {"a": {"prefixItems": [` + strings.Repeat(`{},`, 10_000) + `{}]}}}`,
		"names of members":          `{"properties": {"__proto__": {}, "constructor": {"type": "string"}, "get": {}, "set": {}, "readonly": {}, "async": {}, "static": {}, "new": {}, "toString": {"type": "number"}}}`,
		"many warnings":             `{"anyOf": [` + strings.Repeat(`{"type": "x"},`, 5000) + `{}]}`,
	}
	var tools []toolscript.Tool
	for name, schema := range schemas {
		tools = append(tools, toolscript.Tool{Server: "s", Name: name, InputSchema: json.RawMessage(schema), OutputSchema: json.RawMessage(schema)})
	}
	files := map[string]string{}
	for name, form := range forms {
		r := module(catalog(tools...), codegen.Options{Form: form})
		parse(t, name, r.Text)
		files[name] = r.Text
		if len(r.Text) > 2_000_000 {
			t.Errorf("%s has %d bytes", name, len(r.Text))
		}
		if len(r.Warnings) > 20*len(tools) {
			t.Errorf("%d warnings of %d tools", len(r.Warnings), len(tools))
		}
	}
	mustTypecheck(t, files)
}

// FuzzSchema checks that the module parses for any schema, and that equal input gives
// equal text.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		`{"properties": {"a": {"type": ["string", "null"]}}, "required": ["a", "b"], "additionalProperties": {"$ref": "#"}}`,
		`{"prefixItems": [{"$ref": "#/items"}], "items": {"anyOf": [{"$ref": "#"}, {"const": {"a-b": [1, "*/"]}}]}}`,
		`{"$id": "https://e.com/a", "$defs": {"b": {"$id": "b", "$anchor": "c"}}, "allOf": [{"$ref": "b#c"}, {"if": {}}]}`,
		`{"patternProperties": {"^a": true, "b": false}, "nullable": true, "enum": [1e999, -0, 1.50]}`,
	} {
		f.Add(seed, "*/ x", "a_b")
	}
	f.Fuzz(func(t *testing.T, schema, description, name string) {
		tool := toolscript.Tool{Server: "s", Name: name, Description: description, InputSchema: json.RawMessage(schema), OutputSchema: json.RawMessage(schema)}
		other := hostileTool(description)
		for file, form := range forms {
			text := module(catalog(tool, other), codegen.Options{Form: form}).Text
			if _, exports := parse(t, file, text); !slices.Equal(exports, exported[form]) {
				t.Fatalf("%s exports %q", file, exports)
			}
			if again := module(catalog(tool, other), codegen.Options{Form: form}).Text; again != text {
				t.Fatalf("%s differs when made again", file)
			}
		}
	})
}
