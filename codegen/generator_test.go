package codegen_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// TestGeneratorNoticesEveryChange checks that after any change of a tool, a generator
// with stored texts writes the same module as a new one.
func TestGeneratorNoticesEveryChange(t *testing.T) {
	yes := true
	tool := func() toolscript.Tool {
		return toolscript.Tool{
			Server: "a", Name: "x", Title: "X", Description: "Does x.",
			InputSchema: json.RawMessage(`{"properties": {"p": {"type": "string"}}}`), OutputSchema: json.RawMessage(`{"properties": {"r": {"type": "string"}}}`),
		}
	}
	var seen *codegen.Observer
	steps := []struct {
		name   string
		change func(*toolscript.Tool)
	}{
		{"nothing", func(*toolscript.Tool) {}},
		{"the description", func(t *toolscript.Tool) { t.Description = "Does y." }},
		{"the title for it", func(t *toolscript.Tool) { t.Description = "" }},
		{"the title", func(t *toolscript.Tool) { t.Description, t.Title = "", "Y" }},
		{"the arguments", func(t *toolscript.Tool) { t.InputSchema = json.RawMessage(`{"properties": {"p": {"type": "number"}}}`) }},
		{"no arguments", func(t *toolscript.Tool) { t.InputSchema = nil }},
		{"the result", func(t *toolscript.Tool) {
			t.OutputSchema = json.RawMessage(`{"properties": {"r": {"type": "number"}}}`)
		}},
		{"no result", func(t *toolscript.Tool) { t.OutputSchema = nil }},
		{"a hint", func(t *toolscript.Tool) { t.Annotations.ReadOnly = &yes }},
		{"what was seen of the other's results", func(*toolscript.Tool) { seen.See("a__y_z", json.RawMessage(`{"n": 1}`)) }},
		{"what the other is called", func(t *toolscript.Tool) { t.Name = "yZ" }},
		{"the server", func(t *toolscript.Tool) { t.Server = "b" }},
	}
	for name, form := range forms {
		seen = new(codegen.Observer)
		var g codegen.Generator
		before := ""
		for _, open := range []bool{false, true} {
			for _, step := range steps {
				changed := tool()
				step.change(&changed)
				c := catalog(changed, toolscript.Tool{Server: "a", Name: "y_z", InputSchema: tool().InputSchema})
				o := codegen.Options{Form: form, Open: open}
				fresh := codegen.Generator{Observed: seen.Shapes()}
				g.Observed = seen.Shapes()
				got, want := g.Module(c, naming.New(c), o), fresh.Module(c, naming.New(c), o)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, open %t, %s: -from nothing +after a change\n%s", name, open, step.name, diff)
				}
				if got.Text == before {
					t.Errorf("%s, open %t, %s: nothing is different", name, open, step.name)
				}
				before = got.Text
			}
		}
	}
}
