package harness_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// TestAllowedToolsAndPacks: tools outside of the pack and the list are absent from tools,
// and refused in scripts and structured calls.
func TestAllowedToolsAndPacks(t *testing.T) {
	three := func(context.Context, json.RawMessage) (any, error) { return 3, nil }
	l := local(t, harness.Config{}, greet(), harness.Tool{Name: "three", Run: three}, harness.Tool{Name: "other", Run: three})
	packs := toolscript.ToolPacks{"mine": {Extends: []string{"research"}, Tools: []string{"three", "none__tool"}}}
	for _, tt := range []struct {
		what string
		o    harness.Options
		want map[string]bool // the tools that may be called
	}{
		{"nothing", harness.Options{}, map[string]bool{"three": true, "other": true}},
		{"a name", harness.Options{AllowedTools: []string{"three"}}, map[string]bool{"three": true, "other": false}},
		{"an id", harness.Options{AllowedTools: []string{"app__other"}}, map[string]bool{"three": false, "other": true}},
		{"a name as scripts write it", harness.Options{AllowedTools: []string{"tools.app.other"}}, map[string]bool{"three": false, "other": true}},
		{"a server", harness.Options{AllowedTools: []string{"app"}}, map[string]bool{"three": true, "other": true}},
		{"an empty list", harness.Options{AllowedTools: []string{}}, map[string]bool{"three": false, "other": false}},
		{"a pack", harness.Options{ToolPack: "mine", Packs: packs}, map[string]bool{"three": true, "other": false}},
		{"a pack and a list", harness.Options{ToolPack: "mine", Packs: packs, AllowedTools: []string{"other"}}, map[string]bool{"three": true, "other": true}},
		{"the pack of all", harness.Options{ToolPack: "all"}, map[string]bool{"three": true, "other": true}},
		{"a standard pack", harness.Options{ToolPack: "file-ops"}, map[string]bool{"three": false, "other": false}},
		{"less than Allow", harness.Options{Allow: toolscript.Filter{"app__three"}, AllowedTools: []string{"three", "other"}}, map[string]bool{"three": true, "other": false}},
	} {
		for name, allowed := range tt.want {
			o := output(t, l, "try { return await tools.app."+name+"() } catch (e) { return e.message }", tt.o)
			if made := string(o.Value) == "3"; made != allowed || !made && !strings.Contains(string(o.Value), "app__"+name+" is not among the tools this run may call") {
				t.Errorf("%s: a call of %s: %s, %+v", tt.what, name, o.Value, o.Error)
			}
			keys := output(t, l, "return Object.keys(tools.app ?? {}).includes('"+name+"')", tt.o)
			if got := string(keys.Value) == "true"; got != allowed {
				t.Errorf("%s: tools has %s: %v, %+v", tt.what, name, got, keys.Error)
			}
			items := on(t, l, answer.Part{Call: &answer.Call{ID: "c1", Name: name}}, tt.o)
			want := "3"
			if !allowed {
				want = "error: there is no tool " + name
			}
			if got := items[0].(harness.ToolMessage).Content; got != want {
				t.Errorf("%s: a structured call of %s: %s", tt.what, name, got)
			}
		}
	}
	err := harness.Process(t.Context(), l, answer.Answer{}, harness.Options{ToolPack: "nothing"}, func(harness.Item) error { return nil })
	if toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), `there is no tool pack "nothing"`) {
		t.Errorf("a pack that does not exist: %v", err)
	}
}
