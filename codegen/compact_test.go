package codegen_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// TestCompactIsSmall checks the size of the compact form, because a model reads it
// and its tokens cost money. `task tokens` counts the tokens.
func TestCompactIsSmall(t *testing.T) {
	tools, raw := corpus(t)
	compact := len(module(catalog(tools...), codegen.Options{Form: codegen.Compact}).Text)
	t.Logf("compact %d of %d bytes of tools/list: %.1f %%", compact, raw, percent(compact, raw))
	most := 30
	if len(tools) < 100 { // the tools are the excerpt, whose descriptions are too short to be cut
		most = 45
	}
	if compact*100 > raw*most {
		t.Errorf("compact form has %d bytes of %d, want at most %d %%", compact, raw, most)
	}
}

// TestCompactLosesNothing checks that each parameter of the real tools is present
// with its choices, and is optional exactly if the schema says so.
func TestCompactLosesNothing(t *testing.T) {
	tools, _ := corpus(t)
	c := catalog(tools...)
	n := naming.New(c)
	members := 0
	for _, tool := range c.Tools() {
		var schema map[string]any
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		text := new(codegen.Generator).Render(c, n, []string{tool.ID()}, codegen.Options{Form: codegen.Compact}).Text
		bare := comment.ReplaceAllString(text, "")
		for _, want := range promises(schema, schema, map[string]bool{}) {
			members++
			if !want.MatchString(bare) {
				t.Errorf("%s: nothing like %s in\n%s", tool.ID(), want, bare)
			}
		}
	}
	t.Logf("%d parameters and choices", members)
}

var comment = regexp.MustCompile(`(?s)/\*\*.*?\*/`)

// promises returns patterns for the names, choices and required members in a part of
// the schema root. Each reference is followed once.
func promises(schema any, root map[string]any, followed map[string]bool) []*regexp.Regexp {
	var all []*regexp.Regexp
	add := func(pattern string) { all = append(all, regexp.MustCompile(pattern)) }
	switch s := schema.(type) {
	case []any:
		for _, item := range s {
			all = append(all, promises(item, root, followed)...)
		}
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			mark := `\??: `
			if s["type"] == "object" && s["dependentRequired"] == nil {
				mark = `\?: `
				if member, _ := properties[name].(map[string]any); slices.Contains(required, any(name)) && member["default"] == nil {
					mark = ": "
				}
			}
			add(`[{; ]"?` + regexp.QuoteMeta(name) + `"?` + mark)
			all = append(all, promises(properties[name], root, followed)...)
		}
		choices, _ := s["enum"].([]any)
		if only, ok := s["const"]; ok {
			choices = append(choices, only)
		}
		for _, choice := range choices {
			add(regexp.QuoteMeta(strings.TrimSuffix(jsonText(choice), "\n")))
		}
		if ref, ok := s["$ref"].(string); ok && !followed[ref] {
			followed[ref] = true
			kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/"), "/")
			definitions, _ := root[kind].(map[string]any)
			all = append(all, promises(definitions[name], root, followed)...)
		}
		for _, key := range []string{"items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems"} {
			if key != "items" || s["type"] != "object" { // items has no effect on an object
				all = append(all, promises(s[key], root, followed)...)
			}
		}
	}
	return all
}

// jsonText returns a value as JSON without escapes for HTML.
func jsonText(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // impossible: the value comes from JSON
	}
	return b.String()
}

// TestRender checks that the module has exactly the requested tools, with their names
// in the whole catalog.
func TestRender(t *testing.T) {
	c := catalog(
		toolscript.Tool{Server: "a", Name: "x-y"}, toolscript.Tool{Server: "a", Name: "x_y"}, toolscript.Tool{Server: "b", Name: "z"},
	)
	n := naming.New(c)
	r := new(codegen.Generator).Render(c, n, []string{"b__z", "a__x_y", "c__none"}, codegen.Options{Form: codegen.Compact})
	_, names, _ := n.Tool(toolscript.Tool{Server: "a", Name: "x_y"})
	if !strings.Contains(r.Text, names.Ident+"(") || !strings.Contains(r.Text, "z(") || strings.Count(r.Text, "Promise<") != 2 {
		t.Errorf("want %s and z in\n%s", names.Ident, r.Text)
	}
	last := r.Warnings[len(r.Warnings)-1]
	if last.Tool != "c__none" {
		t.Errorf("warnings %v, want one about c__none", r.Warnings)
	}
}

// TestHelpWithArguments checks which facts about an argument the compact form contains, and that it
// contains each fact only once.
func TestHelpWithArguments(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"format", `{"type": "string", "format": "date-time"}`, "/** @format date-time */ a_b?: string"},
		{"date", `{"type": "string", "format": "date", "description": "From when"}`, "/** From when @format date */ a_b?: string"},
		{"a format that its name says", `{"type": "string", "format": "uri"}`, "a_b?: string"},
		{"limits", `{"type": "integer", "minimum": 1, "maximum": 100, "default": 30}`, "/** @default 30 @minimum 1 @maximum 100 */ a_b?: number"},
		{"a default that says nothing", `{"type": "boolean", "default": false}`, "a_b?: boolean"},
		{"limits of a type", `{"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991}`, "a_b?: number"},
		{"a list", `{"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 5}`, "/** @maxItems 5 */ a_b?: string[]"},
		{"the items of a list", `{"type": "array", "items": {"type": "string", "format": "date"}}`, "/** @format date */ a_b?: string[]"},
		{"a short pattern", `{"type": "string", "pattern": "^[A-Z]{2}$"}`, "/** @pattern ^[A-Z]{2}$ */ a_b?: string"},
		{"a long pattern", `{"type": "string", "pattern": "^[A-Z]{2}(-[0-9a-f]{4}|[0-9]{2})+$"}`, "a_b?: string"},
		{"or null", `{"anyOf": [{"type": "string", "format": "duration"}, {"type": "null"}], "default": null}`, "/** @format duration */ a_b?: string | null"},
		{"behind a reference", `{"$ref": "#/$defs/when"}`, "/** @format date */ a_b?: string"},
		{"a title that repeats the name", `{"type": "string", "title": "A B"}`, "a_b?: string"},
		{"a description that repeats the name", `{"type": "string", "description": "a b.", "title": "The letters"}`, "/** The letters */ a_b?: string"},
		{"a title that says more", `{"type": "string", "title": "A, B or C"}`, "/** A, B or C */ a_b?: string"},
	}
	for _, tt := range tests {
		schema := `{"type": "object", "title": "tArguments", "properties": {"a_b": ` + tt.schema + `}, "$defs": {"when": {"type": "string", "format": "date"}}}`
		text := module(withInput(schema), codegen.Options{Form: codegen.Compact}).Text
		if want := "t(params?: { " + tt.want + " }): Promise<any>"; !strings.Contains(text, want) {
			t.Errorf("%s: no %s in\n%s", tt.name, want, text)
		}
		full := module(withInput(schema), codegen.Options{Form: codegen.Declarations}).Text
		mustNotContain(t, tt.name, full, "tArguments", "/** A B */", "a b.")
	}
}

// TestDescriptionsAreCut checks the rule by which the compact form shortens
// descriptions.
func TestDescriptionsAreCut(t *testing.T) {
	tests := []struct {
		name        string
		limit       int
		description string
		want        string
	}{
		{"short", 30, "Finds a file.", "/** Finds a file. */"},
		{"after a sentence", 30, "Finds a file by name. Names may hold wildcards, see below.", "/** Finds a file by name. … */"},
		{"after a word", 30, "Finds a file by its name or by its size or by both of them", "/** Finds a file by its name or … */"},
		{"a dot inside a word is no end", 30, "Reads a .env.local or a config.json and more of them", "/** Reads a .env.local or a … */"},
		{"a sentence that says too little", 30, "Files. Finds them by name or by size or by both", "/** Files. Finds them by name or … */"},
		{"lines are joined", 60, "Finds a file.\n\nArgs:\n  name", "/** Finds a file. Args: name */"},
		{"none", -1, "Finds a file.", ""},
	}
	for _, tt := range tests {
		c := catalog(toolscript.Tool{Server: "s", Name: "t", Description: tt.description, InputSchema: json.RawMessage(`{"type": "object"}`)})
		text := module(c, codegen.Options{Form: codegen.Compact, Describe: tt.limit}).Text
		if got := comment.FindString(text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
