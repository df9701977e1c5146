package harness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/detect"
)

func init() {
	for _, name := range []string{"sums.add", "deep.er.add"} { // flat names with groups
		t := testTools[0]
		t.Name = name
		testTools = append(testTools, t)
	}
}

// TestFlatNames checks that built-in tools have flat names, which mean the same tools.
func TestFlatNames(t *testing.T) {
	o := ran(t, `
const sums = [
  await tools.add({ a: 1, b: 2 }), await tools.workspace.add({ a: 2, b: 2 }), await tools.sums.add({ a: 3, b: 2 }),
  await tools.deep.er.add({ a: 4, b: 2 }), await tools['add']({ a: 5, b: 2 })];
return [sums.map((s) => s.sum), Object.keys(tools).includes("add"), "add" in tools, "none" in tools, Object.keys(tools.deep), Object.keys(tools.deep.er)]`)
	if want := `[[3,4,5,6,7],true,true,false,["er"],["add"]]`; string(o.Value) != want {
		t.Errorf("value %s, error %+v; want %s", o.Value, o.Error, want)
	}
	var called []string
	for _, c := range o.ToolCalls {
		called = append(called, c.Tool)
	}
	if diff := cmp.Diff([]string{"workspace__add", "workspace__add", "workspace__sums.add", "workspace__deep.er.add", "workspace__add"}, called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestFlatNamesAreTyped checks that flat names have the types of their tools, in a dry run
// too, and that scripts of other dialects have none.
func TestFlatNamesAreTyped(t *testing.T) {
	for name, test := range map[string]struct{ code, want string }{
		"argument":       {"return tools.add({ a: '1', b: 2 })", "Type 'string' is not assignable to type 'number'"},
		"grouped":        {"return tools.deep.er.add({ a: 1 })", "is missing in type"},
		"result":         {"const { product } = await tools.sums.add({ a: 1, b: 2 }); return product", "'product' does not exist"},
		"unknown":        {"return tools.adds({ a: 1, b: 2 })", "'adds' does not exist"},
		"unknown nested": {"return tools.deep.add({ a: 1, b: 2 })", "'add' does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := harness.Parse(t.Context(), gateway(t), test.code, detect.Position{})
			if err != nil || !strings.Contains(parsed.Error, test.want) {
				t.Errorf("%+v, %v; want %q", parsed, err, test.want)
			}
		})
	}
	parsed, err := harness.Parse(t.Context(), gateway(t), "return tools.deep.er.add({ a: 1, b: (await tools.add({ a: 1, b: 1 })).sum })", detect.Position{})
	if err != nil || !parsed.Success || !cmp.Equal(parsed.Script.Metadata.Tools, []string{"add", "deep.er.add"}) {
		t.Errorf("dry run: %+v, %v", parsed, err)
	}
	plain := plainRun(t, toolscript.ExecRequest{Code: "return tools.add({ a: 1, b: 2 })"})
	if plain.Error == nil || !strings.Contains(plain.Error.Message, "'add' does not exist") {
		t.Errorf("a plain script: %+v", plain)
	}
	plain = plainRun(t, toolscript.ExecRequest{Code: "return ['add' in tools, 'deep' in tools, Object.keys(tools)]", Check: toolscript.CheckOff})
	if want := `[false,false,["workspace"]]`; string(plain.Value) != want {
		t.Errorf("names of a plain script: %s, want %s", plain.Value, want)
	}
}

// TestFlatNamesUnderAllow checks that flat names are visible like the tools.
func TestFlatNamesUnderAllow(t *testing.T) {
	o := harness.Options{Allow: toolscript.Filter{"workspace__sums.add"}}
	found := outputs(process(t, block(`
const denied = await tools.add({ a: 1, b: 1 }).catch((e) => e.code);
return [Object.keys(tools), (await tools.sums.add({ a: 1, b: 1 })).sum, denied]`), o))[0]
	if want := `[["workspace","sums"],2,"forbidden"]`; string(found.Value) != want {
		t.Errorf("value %s, error %+v; want %s", found.Value, found.Error, want)
	}
}

// plainRun runs a script that is not of the dialect.
func plainRun(t *testing.T, request toolscript.ExecRequest) (end toolscript.End) {
	t.Helper()
	err := gateway(t).Exec(t.Context(), request, func(e toolscript.Event) error {
		if e.Type == toolscript.EventEnd {
			end = *e.End
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return end
}
