package quickjs_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

func TestSpawn(t *testing.T) {
	h := newHost()
	out := run(t, script(imports+`
const task = tools.spawn.github.createIssue({ title: "x" });
const keys = Object.keys(task);
console.log(typeof tools.spawn.github.listIssues, "spawn" in tools, Object.keys(tools).join(), Object.isFrozen(task));
export default [keys, await task.done]`), h)
	if string(out.Value) != `[["id","done","cancel"],{"title":"x"}]` || h.stdout() != "function true github,empty true\n" {
		t.Errorf("Value = %s, output %q", out.Value, h.stdout())
	}
	if len(h.calls) != 1 || !h.calls[0].Task || h.calls[0].ID != "github__create_issue" {
		t.Errorf("calls = %+v, want one task", h.calls)
	}
}

// TestSpawnedCallThatFails checks that a failed task that the script does not await is not an
// unhandled rejection.
func TestSpawnedCallThatFails(t *testing.T) {
	h := newHost()
	h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return nil, &toolscript.ToolError{Code: toolscript.ToolFailed, Message: "no"}
	}
	out := run(t, script(imports+`
tools.spawn.github.createIssue({});
await new Promise((r) => setTimeout(r, 20));
export default await tools.spawn.github.createIssue({}).done.catch((e) => e.message)`), h)
	if string(out.Value) != `"no"` {
		t.Errorf("Value = %s", out.Value)
	}
}

func TestCancelOfATask(t *testing.T) {
	h := newHost()
	h.tool = nil
	out := run(t, script(imports+`
const task = tools.spawn.github.createIssue({});
const ended = [await task.cancel(), await task.cancel()];
export default [ended, await task.done.catch((e) => [e.name, e.code])]`), h)
	if string(out.Value) != `[[null,null],["ToolError","cancelled"]]` {
		t.Errorf("Value = %s", out.Value)
	}
}

// TestSpawnOfUnknownTools checks that tools.spawn suggests the most similar tool for a wrong name,
// and rejects arguments that JSON cannot represent.
func TestSpawnOfUnknownTools(t *testing.T) {
	for expression, want := range map[string]string{
		`tools.spawn.github.createIsue({})`: `tools.github.createIsue does not exist; did you mean tools.github.createIssue?`,
		`tools.spawn.gihub`:                 `tools.gihub does not exist; did you mean tools.github?`,

		`tools.spawn.github.createIssue(() => 1)`: `a tool's arguments are an object, not [Function (anonymous)]`,
	} {
		if err := fails(t, script(imports+expression), newHost()); err.Message != want {
			t.Errorf("%s: %q, want %q", expression, err.Message, want)
		}
	}
}
