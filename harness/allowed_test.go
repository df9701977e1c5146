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
			o := output(t, l, "try { return await (tools as any).app."+name+"() } catch (e) { return e.message }", tt.o)
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

// TestTypesAreNarrowed checks that the types of a script have only the tools that it may
// call, and that the finding for another tool says what allows it.
func TestTypesAreNarrowed(t *testing.T) {
	some := harness.Options{AllowedTools: []string{"sums.add", "workspace__nested"}}
	add := "workspace__add is not allowed: it is not among the tools that this script may call\n  --allow-tools workspace__add allows it, or a --tool-pack that has it"
	for name, test := range map[string]struct {
		code string
		o    harness.Options
		want string // part of the message; "": no error
	}{
		"allowed, flat":         {"return (await tools.sums.add({ a: 1, b: 2 })).sum", some, ""},
		"allowed":               {"return await tools.workspace.nested({})", some, ""},
		"allowed, wrong":        {"return tools.sums.add({ a: '1', b: 2 })", some, "Type 'string' is not assignable to type 'number'"},
		"flat":                  {"return tools.add({ a: 1, b: 2 })", some, add},
		"of a server":           {"return tools.workspace.add({ a: 1, b: 2 })", some, add},
		"a task":                {"return tools.spawn.workspace.add({ a: 1, b: 2 }).done", some, add},
		"with a key":            {"return tools.$with({ idempotencyKey: 'k' }).workspace.add({ a: 1, b: 2 })", some, add},
		"with a key, flat":      {"return tools.$with({ idempotencyKey: 'k' }).add({ a: 1, b: 2 })", some, add},
		"with a key, a group":   {"return tools.$with({ idempotencyKey: 'k' }).deep.er.add({ a: 1, b: 2 })", some, "workspace__deep.er.add is not allowed"},
		"taken out":             {"const { add } = tools; return 1", some, add},
		"a group":               {"return tools.deep.er.add({ a: 1, b: 2 })", some, "workspace__deep.er.add is not allowed"},
		"a group, taken out":    {"const { deep } = tools; return 1", some, "workspace__deep.er.add is not allowed"},
		"in a group":            {"return tools.deep.er.add({ a: 1, b: 2 })", harness.Options{Allow: toolscript.Filter{"workspace__deep.er.more"}}, "workspace__deep.er.add is not allowed"},
		"what there is":         {"return tools.add({ a: 1, b: 2 })", some, "There are: workspace, nested, sums"},
		"a server of none":      {"return tools.workspace.add({ a: 1, b: 2 })", harness.Options{AllowedTools: []string{}}, add},
		"a server, taken out":   {"const { workspace } = tools; return 1", harness.Options{AllowedTools: []string{}}, "workspace is not allowed"},
		"a pack":                {"return tools.add({ a: 1, b: 2 })", harness.Options{ToolPack: "file-ops"}, add},
		"allow":                 {"return tools.add({ a: 1, b: 2 })", harness.Options{Allow: toolscript.Filter{"workspace__note"}}, "unless --allow excludes it"},
		"the server":            {"return (await tools.add({ a: 1, b: 2 })).sum", harness.Options{Allow: toolscript.Filter{"workspace"}}, ""},
		"no such tool":          {"return tools.workspace.addition({})", some, "'addition' does not exist"},
		"no such server":        {"return tools.nothing.add({})", some, "'nothing' does not exist"},
		"all are allowed":       {"return (await tools.add({ a: 1, b: 2 })).sum", harness.Options{}, ""},
		"a name as a variable":  {"const name: string = 'nested'; return (tools as any).workspace[name]({})", some, ""},
		"started by its name":   {`return (await tools.spawn.exec("sums.add", { a: 1, b: 2 }).done).sum`, some, ""},
		"by its name, no types": {`return await tools.spawn.exec("add", { a: "1" }).done.catch((e) => 1)`, some, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range []harness.Mode{harness.Enabled, harness.DryRun} {
				test.o.Mode = mode
				o := output(t, localGateway(t), test.code, test.o)
				switch {
				case test.want == "" && !o.OK:
					t.Errorf("%s: %+v", mode, o.Error)
				case test.want == "":
				case o.Error == nil || o.Error.Phase != "parsing" || !strings.Contains(o.Error.Message, test.want):
					t.Errorf("%s: %+v, want %q", mode, o.Error, test.want)
				case len(o.ToolCalls) > 0:
					t.Errorf("%s: %+v were called", mode, o.ToolCalls)
				}
				if test.want != "" && o.Error != nil && strings.Contains(test.want, "is not allowed") && strings.Contains(o.Error.Message, "does not exist") {
					t.Errorf("%s: the message says that the tool does not exist: %s", mode, o.Error.Message)
				}
			}
		})
	}
}

// TestTypesOfOtherListsAreKept runs one script under several lists. Neither its types nor its
// findings may come from another list.
func TestTypesOfOtherListsAreKept(t *testing.T) {
	const code = "return (await tools.add({ a: 20, b: 22 })).sum + (await tools.sums.add({ a: 1, b: 1 })).sum"
	for range 2 {
		for _, allow := range []struct {
			tools []string
			want  string
		}{{nil, ""}, {[]string{"add"}, "sums.add is not allowed"}, {[]string{"sums.add"}, "workspace__add is not allowed"}, {[]string{"add", "sums.add"}, ""}} {
			o := output(t, localGateway(t), code, harness.Options{AllowedTools: allow.tools})
			if o.OK != (allow.want == "") || o.Error != nil && !strings.Contains(o.Error.Message, allow.want) {
				t.Errorf("%q: %s, %+v; want %q", allow.tools, o.Value, o.Error, allow.want)
			}
		}
	}
}

// TestEmptyText: a program may make an answer with a text of no bytes.
func TestEmptyText(t *testing.T) {
	for _, mode := range []harness.Mode{harness.Disabled, harness.Enabled} {
		a := answer.Answer{Parts: []answer.Part{{Text: &answer.Text{}}}}
		err := harness.Process(t.Context(), nil, a, harness.Options{Mode: mode}, func(item harness.Item) error {
			t.Errorf("%s: %+v", mode, item)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
