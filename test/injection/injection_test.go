// Package injection_test compares modules generated for hostile servers with the syntax trees of
// TypeScript's own parser.
package injection_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/microsoft/typescript-go/shim/outline"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

var forms = map[string]codegen.Form{"full": codegen.Full, "compact": codegen.Compact, "declarations": codegen.Declarations}

// waysOut are texts that would end or begin a comment, a string or a declaration.
var waysOut = []string{
	"*/", "/*", "*\u200b/", "//", "\n", "\r", "\u2028", "\u2029", "\\", "\"", "'", "`", "${", "}", "};", "{", "(", ")", ";", ",", ":", "?", "<", ">", "</script>", "<!--",
	"export const stolen = 1;", "import x from \"y\";", "@ts-nocheck", "@deprecated", "/// <reference path=\"x\" />", "[key: string]", "=> stolen", "\u202e", "\u2066",
	"\U000e0041", "\ufeff", "\x00", "\x1b", "\u0085", "\xff", "\\u002a/", "__proto__", "constructor", "0", "\u3164", "𝒳", "日本", "ß", "\u0300",
}

// random returns a random text that contains many of waysOut.
func random(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		switch r.IntN(4) {
		case 0:
			b.WriteRune(rune(r.IntN(0x80)))
		case 1:
			b.WriteRune(rune(r.IntN(unicode.MaxRune)))
		default:
			b.WriteString(waysOut[r.IntN(len(waysOut))])
		}
	}
	return b.String()
}

// mark surrounds every text of the server. It cannot be part of an identifier.
const mark = "~stolen~"

// catalog returns a catalog with one tool and with text in every place that a server controls.
func catalog(t *testing.T, text string) toolscript.Catalog {
	t.Helper()
	schema, err := json.Marshal(map[string]any{
		"description": text, "title": text, "required": []string{text, text + "x"},
		"properties": map[string]any{
			"a":  map[string]any{"type": "string", "description": text, "pattern": text, "format": text, "default": text, "examples": []any{text, map[string]any{text: text}}},
			"b":  map[string]any{"enum": []any{text, []any{text}, map[string]any{text: nil}}},
			"c":  map[string]any{"const": map[string]any{text: text}},
			"d":  map[string]any{"$ref": "#/$defs/" + strings.NewReplacer("~", "~0", "/", "~1", "%", "%25").Replace(text)},
			"e":  map[string]any{"type": "array", "items": map[string]any{"type": "number", "description": text}},
			text: map[string]any{"type": text, "description": text},
		},
		"dependentRequired": map[string]any{"a": []string{text}},
		"patternProperties": map[string]any{text: map[string]any{"type": "string"}},
		"$defs":             map[string]any{text: map[string]any{"type": "object", "description": text, "properties": map[string]any{text: true}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	return toolscript.NewCatalog(1, []string{text}, []toolscript.Tool{{
		Server: text, Name: text, Title: text, Description: text, InputSchema: schema, OutputSchema: schema,
		Annotations: toolscript.Annotations{Destructive: &yes},
	}})
}

// skeleton returns the outline of a generated module, without the identifiers of the server and its tool,
// and the text of the module.
func skeleton(t *testing.T, c toolscript.Catalog, form codegen.Form) (outline.Outline, string) {
	t.Helper()
	names := naming.New(c)
	server := names.Servers[0]
	text := codegen.Module(c, names, codegen.Options{Form: form}).Text
	o := outline.Of(text)
	plain := []struct{ name, as string }{
		{server.Tools[0].Params, "Params"}, {server.Tools[0].Result, "Result"}, {server.Type, "Tools"},
	}
	o.Words = slices.DeleteFunc(o.Words, func(word string) bool { // if they are not ASCII, they are strings
		return word == server.Ident || word == server.Tools[0].Ident
	})
	rename := func(word string) string {
		for _, p := range plain {
			if word == p.name {
				return p.as
			}
			if strings.HasPrefix(word, p.name+"_") { // the type of a part of its schema
				return p.as + "_Part"
			}
		}
		return word
	}
	for i, word := range o.Words {
		o.Words[i] = rename(word)
	}
	for i, statement := range o.Statements {
		kind, name, _ := strings.Cut(statement, " ")
		o.Statements[i] = strings.TrimSpace(kind + " " + rename(name))
	}
	return o, text
}

// TestTextsOfServersAreNotCode: for any names and descriptions, the syntax tree of a module equals the tree
// for plain words. Texts of servers are only in strings and comments, which the comparison omits.
func TestTextsOfServersAreNotCode(t *testing.T) {
	tries := 1500
	if testing.Short() {
		tries = 150
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, form := range forms {
		want, module := skeleton(t, catalog(t, mark+" words "+mark), form)
		if len(want.Errors) > 0 || len(want.Words) < 10 || !slices.ContainsFunc(want.Strings, func(s string) bool { return strings.Contains(s, mark) }) {
			t.Fatalf("%s: %+v of\n%s", name, want, module)
		}
		for i := range tries {
			text := mark + " " + random(r) + " " + mark
			if i < len(waysOut) {
				text = mark + waysOut[i] + mark
			}
			got, module := skeleton(t, catalog(t, text), form)
			got.Strings, want.Strings = nil, nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: %q makes another tree: -want +got\n%s\n%s", name, text, diff, module)
			}
		}
	}
}

// TestOutlineSeesInjection checks that injected code changes the tree of a module.
func TestOutlineSeesInjection(t *testing.T) {
	before := outline.Of("/** a */\nexport type T = \"x\";")
	for _, text := range []string{
		"/** a */ export const stolen = 1; /* */\nexport type T = \"x\";", "/** a */\nexport type T = \"x\" | stolen;", "/** a */\nexport type T = `x`;",
		"/** a */\nexport type T = \"x\n\";",
	} {
		after := outline.Of(text)
		before.Strings, after.Strings = nil, nil
		if cmp.Equal(before, after) {
			t.Errorf("%q is taken for the same", text)
		}
	}
}
