package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

func init() {
	for _, name := range []string{"sums.add", "deep.er.add", "deep.er.more"} { // flat names with groups
		t := testTools[0]
		t.Name = name
		testTools = append(testTools, t)
	}
	testTools = append(testTools, tool.Tool{
		Name: "nested", Input: object, Annotations: tool.Reads(),
		Run: func(context.Context, *tool.Workspace, json.RawMessage) (any, error) {
			return json.RawMessage(`{"given": {"deep": {"list": [{"a": 1}]}}}`), nil
		},
	}, tool.Tool{
		Name: "deaf", Input: object, Output: object, Annotations: tool.Reads(),
		Run: func(context.Context, *tool.Workspace, json.RawMessage) (any, error) {
			if g := gate.Load(); g != nil {
				deafBegan <- struct{}{}
				<-*g
			}
			return map[string]any{}, nil
		},
	}, tool.Tool{
		Name: "whenDeafBegan", Input: object, Output: object, Annotations: tool.Reads(),
		Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
			select {
			case <-deafBegan:
			case <-ctx.Done():
			}
			return map[string]any{}, nil
		},
	}, tool.Tool{
		Name: "gated", Input: object, Output: object, Annotations: tool.Reads(),
		Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
			if g := gate.Load(); g != nil {
				select {
				case <-*g:
				case <-ctx.Done():
				}
			}
			return map[string]any{}, nil
		},
	})
}

// gate is the channel for which the tools gated and deaf wait. The tool deaf ignores its cancellation.
var gate atomic.Pointer[chan struct{}]

// deafBegan receives a value when a call of deaf begins.
var deafBegan = make(chan struct{}, 8)

// TestFlatNames checks that built-in tools have flat names, which mean the same tools.
func TestFlatNames(t *testing.T) {
	o := ran(t, `
const sums = [
  await tools.add({ a: 1, b: 2 }), await tools.workspace.add({ a: 2, b: 2 }), await tools.sums.add({ a: 3, b: 2 }),
  await tools.deep.er.add({ a: 4, b: 2 }), await tools['add']({ a: 5, b: 2 })];
return [sums.map((s) => s.sum), Object.keys(tools).includes("add"), "add" in tools, "none" in tools, Object.keys(tools.deep), Object.keys(tools.deep.er)]`)
	if want := `[[3,4,5,6,7],true,true,false,["er"],["add","more"]]`; string(o.Value) != want {
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
		"with a key":     {"return tools.$with({ idempotencyKey: 'k' }).deep.er.add({ a: '1', b: 2 })", "Type 'string' is not assignable to type 'number'"},
		"no key":         {"return tools.$with({}).add({ a: 1, b: 2 })", "'idempotencyKey' is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := harness.Parse(t.Context(), localGateway(t), test.code, answer.Position{})
			if err != nil || !strings.Contains(parsed.Error, test.want) {
				t.Errorf("%+v, %v; want %q", parsed, err, test.want)
			}
		})
	}
	parsed, err := harness.Parse(t.Context(), localGateway(t), "return tools.$with({ idempotencyKey: 'k' }).deep.er.add({ a: 1, b: (await tools.add({ a: 1, b: 1 })).sum })", answer.Position{})
	if err != nil || !parsed.Success || !cmp.Equal(parsed.Script.Metadata.Tools, []string{"add", "deep.er.add"}) {
		t.Errorf("dry run: %+v, %v", parsed, err)
	}
	plain := plainRun(t, toolscript.ExecRequest{Code: "return tools.add({ a: 1, b: 2 })"})
	if plain.Error == nil || !strings.Contains(plain.Error.Message, "'add' does not exist") {
		t.Errorf("a plain script: %+v", plain)
	}
	plain = plainRun(t, toolscript.ExecRequest{Code: "return ['add' in tools, 'deep' in tools, Object.keys(tools)]", Rules: toolscript.Rules{Check: toolscript.CheckOff}})
	if want := `[false,false,["workspace"]]`; string(plain.Value) != want {
		t.Errorf("names of a plain script: %s, want %s", plain.Value, want)
	}
}

// TestFlatNamesUnderAllow checks that an allow list hides flat names in the same way as tools.
func TestFlatNamesUnderAllow(t *testing.T) {
	o := harness.Options{Allow: toolscript.Filter{"workspace__sums.add"}}
	found := outputs(process(t, block(`
const denied = await (tools as any).add({ a: 1, b: 1 }).catch((e) => e.code);
return [Object.keys(tools), (await tools.sums.add({ a: 1, b: 1 })).sum, denied]`), o))[0]
	if want := `[["workspace","sums"],2,"forbidden"]`; string(found.Value) != want {
		t.Errorf("value %s, error %+v; want %s", found.Value, found.Error, want)
	}
}

// plainRun runs a script without DialectHarness.
func plainRun(t *testing.T, request toolscript.ExecRequest) (end toolscript.End) {
	t.Helper()
	err := localGateway(t).Exec(t.Context(), request, func(e toolscript.Event) error {
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

// TestContext checks the global name context, which only scripts in answers have.
func TestContext(t *testing.T) {
	o := harness.Options{ConversationID: "conv_7", Cwd: "/somewhere"}
	found := outputs(process(t, block(`
const frozen = Object.isFrozen(context) && Object.isFrozen(context.telemetry);
return { ...context, telemetry: typeof context.telemetry.emitProgress, frozen }`), o))[0]
	want := `{"conversationId":"conv_7","workingDir":"/somewhere","scriptId":"` + found.ScriptID + `","telemetry":"function","frozen":true}`
	if string(found.Value) != want {
		t.Errorf("value %s, error %+v; want %s", found.Value, found.Error, want)
	}
	parsed, err := harness.Parse(t.Context(), localGateway(t), "const n: number = context.conversationId; context.telemetry.emitProgress(1)", answer.Position{})
	if err != nil || parsed.Cause == nil || len(parsed.Cause.Findings) != 2 {
		t.Errorf("types of context: %+v, %v", parsed, err)
	}
	if plain := plainRun(t, toolscript.ExecRequest{Code: "return context"}); plain.Error == nil || !strings.Contains(plain.Error.Message, "Cannot find name 'context'") {
		t.Errorf("a plain script: %+v", plain)
	}
	if plain := plainRun(t, toolscript.ExecRequest{Code: "return typeof context", Rules: toolscript.Rules{Check: toolscript.CheckOff}}); string(plain.Value) != `"undefined"` {
		t.Errorf("a plain script has context: %s", plain.Value)
	}
}

// TestEmitProgress checks that progress arrives while the script runs: the call that
// follows it ends only after the progress has arrived.
func TestEmitProgress(t *testing.T) {
	arrived := make(chan struct{})
	gate.Store(&arrived)
	defer gate.Store(nil)
	var order []string
	a := answer.Answer{API: answer.Chat, Parts: []answer.Part{{Text: &answer.Text{Text: block(`
context.telemetry.emitProgress("Running tests...");
await tools.gated({});
context.telemetry.emitProgress("é".repeat(4000));
return 1`)}}}}
	err := harness.Process(t.Context(), localGateway(t), a, harness.Options{}, func(item harness.Item) error {
		switch i := item.(type) {
		case harness.OutputTextDelta:
			if i.Delta == "Running tests..." {
				close(arrived)
			}
			if len(i.Delta) > 5000 || i.ScriptID == "" || i.History() {
				t.Errorf("%d bytes, script %q", len(i.Delta), i.ScriptID)
			}
			order = append(order, fmt.Sprintf("%.16s", i.Delta))
		case harness.ToolCallEnd:
			order = append(order, "end of "+i.Tool)
		case harness.ScriptToolCallOutput:
			if !i.OK {
				t.Errorf("output %+v", i.Error)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Running tests...", "end of workspace__gated", strings.Repeat("é", 16)}, order); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// TestResultsAreFrozen checks that results are deeply frozen in scripts in answers, and in no other
// scripts.
func TestResultsAreFrozen(t *testing.T) {
	const code = `
const result: any = await tools.workspace.nested({});
const error = await tools.workspace.fail({}).catch((e) => e);
const hits = await tools.$search("add two numbers");
const all = [result, result.given, result.given.deep.list, result.given.deep.list[0], error.content, error.content[0], hits, hits[0]];
let thrown = 0;
for (const change of [() => { result.other = 1; }, () => { result.given.deep.list.push(1); }, () => { delete result.given.deep.list[0].a; }]) {
  try { change(); } catch (e) { if (e instanceof TypeError) thrown++; }
}
return [all.map((v) => Object.isFrozen(v)), thrown, result.given.deep.list.length]`
	o := ran(t, code)
	if want := `[[true,true,true,true,true,true,true,true],3,1]`; string(o.Value) != want {
		t.Errorf("script of an answer: %s, error %+v; want %s", o.Value, o.Error, want)
	}
	plain := plainRun(t, toolscript.ExecRequest{Code: code})
	if want := `[[false,false,false,false,false,false,false,false],0,2]`; string(plain.Value) != want {
		t.Errorf("plain script: %s, error %+v; want %s", plain.Value, plain.Error, want)
	}
}

// TestConsoleIsRateLimited checks that a flood of lines is cut, and that the output reports
// that. Within 30 seconds at most 3,500 lines pass.
func TestConsoleIsRateLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	o := ran(t, `for (let i = 0; i < 20000; i++) console.log("x");
for (let i = 0; i < 2000; i++) context.telemetry.emitProgress("x");
return 1`)
	if n := strings.Count(o.Console, "x\n"); !o.OK || n < 500 || n > 3500 || strings.Count(o.Console, "[lines dropped]\n") != 1 {
		t.Errorf("%d lines, error %+v", n, o.Error)
	}
	if notices := strings.Join(o.Notices, "\n"); !strings.Contains(notices, " lines of console output were dropped: ") || !strings.Contains(notices, " texts of emitProgress were dropped: ") {
		t.Errorf("notices %q", notices)
	}
	o = ran(t, `console.log("y".repeat(40000)); return 1`)
	if notices := strings.Join(o.Notices, "\n"); !o.OK || len(o.Console) != 16<<10 || !strings.Contains(notices, "console output was cut at 16384 bytes: about 23617 more") {
		t.Errorf("notices %q, %d bytes", notices, len(o.Console))
	}
	plain := plainRun(t, toolscript.ExecRequest{Code: `for (let i = 0; i < 20000; i++) console.log("x"); return 1`})
	if plain.Metrics == nil || plain.Metrics.StdoutBytes != 40000 {
		t.Errorf("a plain script: %+v", plain.Metrics)
	}
}

// TestCacheMetrics checks the metrics about caches. A script with the same text is compiled only
// once, even if it has to be checked again.
func TestCacheMetrics(t *testing.T) {
	hits := func(o harness.ScriptToolCallOutput) [2]bool {
		return [2]bool{o.Metrics.CacheHit, o.Metrics.CompilationCacheHit}
	}
	once := fmt.Sprintf("const once = %d; ", time.Now().UnixMicro()) // the test may run several times in one process
	code := once + "return await tools.add({ a: 40, b: 2 })"
	if got := hits(ran(t, code)); got != [2]bool{} {
		t.Errorf("first: %v", got)
	}
	if got := hits(ran(t, code)); got != [2]bool{true, true} {
		t.Errorf("again: %v", got)
	}
	wrong := once + "return await tools.add({ a: '40', b: 2 })" // has a type error
	for i, want := range []bool{false, true} {
		o := ran(t, wrong)
		if got := hits(o); o.OK || got != [2]bool{want, want} {
			t.Errorf("wrong script, run %d: %v", i, got)
		}
	}
}

// TestDetachedPromise ends a script while a call is pending that ignores its cancellation.
func TestDetachedPromise(t *testing.T) {
	released := make(chan struct{})
	gate.Store(&released)
	defer gate.Store(nil)
	defer close(released)
	o := ran(t, "const r = await tools.add({ a: 1, b: 2 }); void tools.deaf({}); await tools.whenDeafBegan({}); return r")
	e := o.Error
	if o.OK || e == nil || e.Code != "DetachedPromiseError" || e.Phase != "finalizing" || e.ScriptID != o.ScriptID || e.ToolName != "workspace__deaf" || e.CallID != "2" {
		t.Fatalf("output %+v, error %+v", o, e)
	}
	if fmt.Sprint(e.Metadata["pendingTools"], e.Metadata["completedTools"]) != "1 2" || !strings.Contains(e.Message, "workspace__deaf") {
		t.Errorf("error %+v", e)
	}
	if string(o.Value) != `{"sum":3}` || len(o.ToolCalls) != 2 {
		t.Errorf("what was done until then: %s, %+v", o.Value, o.ToolCalls)
	}
}

// TestScriptTimeout checks the error of a script that is too slow, with a lower limit.
func TestScriptTimeout(t *testing.T) {
	limits := harness.Limits
	defer func() { harness.Limits = limits }()
	harness.Limits.TimeoutMs = 1500
	o := ran(t, "const r = await tools.add({ a: 1, b: 2 }); await tools.wait({}); return r")
	e := o.Error
	if e == nil || e.Code != "ScriptTimeoutError" || e.Phase != "executing" || e.Kind != toolscript.LimitTime || e.ScriptID != o.ScriptID {
		t.Fatalf("output %+v, error %+v", o, e)
	}
	if want := "the script ran longer than its limit of 1500 ms; these calls had not ended: workspace__wait"; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
	elapsed, _ := e.Metadata["elapsedMs"].(float64)
	if elapsed < 1500 || fmt.Sprint(e.Metadata["completedTools"], e.Metadata["pendingTools"]) != "1 1" {
		t.Errorf("metadata %v", e.Metadata)
	}
	if len(o.ToolCalls) == 0 || string(o.ToolCalls[0].Result) != `{"sum":3}` {
		t.Errorf("what was done until then: %+v", o.ToolCalls)
	}
	if limits.TimeoutMs != 30_000 {
		t.Errorf("the limit is %d ms", limits.TimeoutMs)
	}
}

// TestSpawnByName checks tools.spawn.exec: done, cancel, names of all kinds, the budget,
// and types.
func TestSpawnByName(t *testing.T) {
	o := ran(t, `
const first = tools.spawn.exec("add", { a: 1, b: 2 });
const sums = [(await first.done).sum, (await tools.spawn.exec("workspace.add", { a: 2, b: 2 }).done).sum,
  (await tools.spawn.exec("workspace__add", { a: 3, b: 2 }).done).sum, (await tools.spawn.exec("deep.er.add", { a: 4, b: 2 }).done).sum];
const waiting = tools.spawn.exec("wait", {});
const ended = waiting.done.catch((e) => e.code);
await waiting.cancel();
const unknown = await tools.spawn.exec("nothing", {}).done.catch((e) => e.code);
return [first.id, sums, await ended, unknown, Object.isFrozen(first)]`)
	if want := `["1",[3,4,5,6],"cancelled","not_found",true]`; string(o.Value) != want {
		t.Errorf("value %s, error %+v; want %s", o.Value, o.Error, want)
	}
	if want := []string{"add", "deep.er.add", "nothing", "wait", "workspace.add", "workspace__add"}; o.Script == nil || !cmp.Equal(o.Script.Tools, want) {
		t.Errorf("script %+v, want %q", o.Script, want)
	}
	o = ran(t, `let refused = 0;
for (let i = 0; i < 40; i++) await tools.spawn.exec("add", { a: i, b: 0 }).done.catch((e) => { if (e.name === "ToolBudgetExceededError") refused++; });
return refused`)
	if string(o.Value) != "8" {
		t.Errorf("%s tasks were refused, error %+v; want 8", o.Value, o.Error)
	}
	for code, want := range map[string]string{
		`tools.spawn.exec("add", { a: "1", b: 2 })`:                                 "Type 'string' is not assignable to type 'number'",
		`const t = tools.spawn.exec("add", { a: 1, b: 2 }); (await t.done).product`: "'product' does not exist",
		`tools.spawn.exec("workspace.add", { a: "1" })`:                             "",
	} {
		parsed, err := harness.Parse(t.Context(), localGateway(t), code, answer.Position{})
		if err != nil || parsed.Success != (want == "") || !strings.Contains(parsed.Error, want) {
			t.Errorf("%s: %+v, %v; want %q", code, parsed, err, want)
		}
	}
	if plain := plainRun(t, toolscript.ExecRequest{Code: `return tools.spawn.exec("add", {})`, Rules: toolscript.Rules{Check: toolscript.CheckOff}}); plain.Error == nil {
		t.Errorf("a plain script has tools.spawn.exec: %s", plain.Value)
	}
}

// TestTaskOutlivesItsScript checks that a task continues after the end of its script, and that
// its result can be read afterwards.
func TestTaskOutlivesItsScript(t *testing.T) {
	released := make(chan struct{})
	gate.Store(&released)
	defer gate.Store(nil)
	g := localGateway(t)
	o := ran(t, `return tools.spawn.exec("gated", {}).id`)
	if !o.OK || string(o.Value) != `"1"` || len(o.Detached) != 1 || o.Detached[0] != (toolscript.DetachedCall{CallID: "1", Tool: "workspace__gated", Task: true}) {
		t.Errorf("output %+v, error %+v", o, o.Error)
	}
	if _, err := g.RunOutput(t.Context(), o.RunID, toolscript.OutputQuery{Task: "1"}); toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("result of a task that works: %v", err)
	}
	close(released)
	for { // until the task is in the record
		record, err := g.Run(t.Context(), o.RunID)
		if err != nil {
			t.Fatal(err)
		}
		if record.Calls[0].OK == nil {
			continue
		}
		result, err := g.RunOutput(t.Context(), o.RunID, toolscript.OutputQuery{Task: "1"})
		if toolscript.KindOf(err) == toolscript.NotFound && t.Context().Err() == nil {
			continue // the call has ended, and its result is being written
		}
		if want := `{"callId":"1","tool":"workspace__gated","ok":true,"result":{}}`; err != nil || string(result) != want {
			t.Errorf("result %s, %v; want %s", result, err, want)
		}
		return
	}
}
