package quickjs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/quickjs"
)

const imports = `import { tools, ToolError } from "toolscript";` + "\n"

func TestToolCall(t *testing.T) {
	h := newHost()
	out := run(t, script(imports+`const r = await tools.github.createIssue({title: "é", n: 1});
export default [r, await tools.github.listIssues(), await tools.$with({ idempotencyKey: "order-4711" }).github.listIssues({})]`), h)
	if want := `[{"title":"é","n":1},{},{}]`; string(out.Value) != want {
		t.Errorf("Value = %s, want %s", out.Value, want)
	}
	want := []runner.Call{
		{CallID: "1", ID: "github__create_issue", Args: json.RawMessage(`{"title":"é","n":1}`)},
		{CallID: "2", ID: "github__list_issues", Args: json.RawMessage(`{}`)},
		{CallID: "3", ID: "github__list_issues", Args: json.RawMessage(`{}`), Key: "order-4711"},
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestToolErrorIsThrown(t *testing.T) {
	h := newHost()
	h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return nil, &toolscript.ToolError{
			Server: "github", Tool: "github__create_issue", Code: toolscript.ToolFailed, Message: "no such repository", RPCCode: -32000,
			Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"no"}`)},
			Details: []toolscript.Detail{{Path: "/title", Message: "missing"}},
		}
	}
	out := run(t, script(imports+`try { await tools.github.createIssue({}) } catch (e) {
  console.log(e instanceof ToolError, e instanceof Error, e.name, e.message, String(e));
  console.log(e.stack);
}
export default await tools.github.createIssue({}).catch((e) => ({...e}))`), h)
	want := `{"server":"github","tool":"github__create_issue","code":"tool_failed","content":[{"type":"text","text":"no"}],` +
		`"rpcCode":-32000,"details":[{"path":"/title","message":"missing"}]}`
	if string(out.Value) != want {
		t.Errorf("Value = %s, want %s", out.Value, want)
	}
	wantOutput := "true true ToolError no such repository ToolError: no such repository\n" +
		"ToolError: no such repository\n    at script.ts:2:26\n"
	if diff := cmp.Diff(wantOutput, h.stdout()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestUncaughtToolError(t *testing.T) {
	tests := []struct {
		code, kind    toolscript.Kind
		name, message string
		tool          string
	}{
		{toolscript.ToolFailed, toolscript.Threw, "ToolError", "github__create_issue: no", "github__create_issue"},
		{toolscript.NotFound, toolscript.Threw, "ToolError", "github__create_issue: no", "github__create_issue"},
		{toolscript.Cancelled, toolscript.Threw, "ToolError", "github__create_issue: no", "github__create_issue"},
		{toolscript.LimitCalls, toolscript.LimitCalls, "ToolBudgetExceededError", "no", ""},
		{toolscript.ApprovalDenied, toolscript.ApprovalDenied, "ApprovalDeniedError", "no", ""},
		{toolscript.ApprovalTimeout, toolscript.ApprovalTimeout, "ApprovalTimeoutError", "no", ""},
		{toolscript.Quarantined, toolscript.Quarantined, "ToolQuarantinedError", "no", ""},
	}
	for _, test := range tests {
		h := newHost()
		h.tool = func(c runner.Call) (json.RawMessage, *toolscript.ToolError) {
			return nil, &toolscript.ToolError{Tool: c.ID, Code: test.code, Message: "no"}
		}
		err := fails(t, script(imports+`await tools.github.createIssue({})`), h)
		want := &toolscript.RunError{
			Name: test.name, Code: test.code, Message: test.message, Tool: test.tool, Phase: toolscript.Executing, ScriptID: "run-1",
			ToolName: "github__create_issue", CallID: "1", Stack: "    at script.ts:2:20",
		}
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.code, diff)
		}
		if err.Kind() != test.kind {
			t.Errorf("%s: the run ends with %s, want %s", test.code, err.Kind(), test.kind)
		}
	}
}

func TestMissingNames(t *testing.T) {
	tests := []struct{ expression, want string }{
		{`tools.githb`, `tools.githb does not exist; did you mean tools.github?`},
		{`tools["my-server"]`, `tools["my-server"] does not exist; tools has: github, empty`},
		{`tools.github.creatIssue`, `tools.github.creatIssue does not exist; did you mean tools.github.createIssue?`},
		{`tools.github.create_issue`, `tools.github.create_issue does not exist; did you mean tools.github.createIssue?`},
		{`tools.github.zzzzzzzzz`, `tools.github.zzzzzzzzz does not exist; tools.github has: createIssue, listIssues`},
	}
	for _, test := range tests {
		t.Run(test.expression, func(t *testing.T) {
			err := fails(t, script(imports+test.expression), newHost())
			if err.Name != "TypeError" || err.Message != test.want {
				t.Errorf("error = %s: %s, want TypeError: %s", err.Name, err.Message, test.want)
			}
			if err.Stack == "" || strings.Contains(err.Stack, "toolscript") {
				t.Errorf("stack = %q, want the script's frame only", err.Stack)
			}
		})
	}
}

// TestServerThatIsNotConnected checks that a call to a server that is not connected reaches the
// gateway, which can explain the problem.
func TestServerThatIsNotConnected(t *testing.T) {
	h := newHost()
	h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return nil, &toolscript.ToolError{Server: "empty", Code: toolscript.Unavailable, Message: "empty is not connected"}
	}
	err := fails(t, script(imports+"await tools.empty.doIt({})"), h)
	if err.Name != "ToolError" || err.Message != "empty is not connected" {
		t.Errorf("error = %s: %s", err.Name, err.Message)
	}
	if len(h.calls) != 1 || h.calls[0].ID != "empty__doIt" {
		t.Errorf("calls = %+v", h.calls)
	}
	for _, quiet := range []string{"await tools.empty", "String(tools.empty)", "console.log(tools.empty)", "JSON.stringify(tools.empty)"} {
		h := newHost()
		if out := run(t, script(imports+quiet), h); out.Err != nil || len(h.calls) != 0 {
			t.Errorf("%s: %+v, calls %+v", quiet, out.Err, h.calls)
		}
	}
}

func TestToolsIsAnObject(t *testing.T) {
	for expression, want := range map[string]string{
		`Object.keys(tools)`:                              `["github","empty"]`,
		`Object.keys(tools.github)`:                       `["createIssue","listIssues"]`,
		`Object.keys({...tools})`:                         `["github","empty"]`,
		`Object.entries(tools).length`:                    `2`,
		`["github" in tools, "x" in tools]`:               `[true,false]`,
		`"createIssue" in tools.github`:                   `true`,
		`typeof tools.github.createIssue`:                 `"function"`,
		`tools.github.createIssue.name`:                   `"createIssue"`,
		`tools.github === tools.github`:                   `true`,
		`[tools.then ?? 1, tools.toJSON ?? 2]`:            `[1,2]`,
		`tools.github.then ?? null`:                       `null`,
		`tools[Symbol.iterator] ?? null`:                  `null`,
		`String(tools)`:                                   `"[object Object]"`,
		`JSON.stringify(tools)`:                           `"{\"github\":{},\"empty\":{}}"`,
		`tools instanceof Object`:                         `true`,
		`Object.getPrototypeOf(tools) === ({}).__proto__`: `true`,
	} {
		value(t, expression, want)
	}
}

func TestToolsCannotBeChanged(t *testing.T) {
	for _, change := range []string{
		`tools.x = 1`, `tools.github = 1`, `delete tools.github`, `tools.github.createIssue = 1`, `delete tools.github.createIssue`,
		`Object.defineProperty(tools, "x", {value: 1})`, `Object.setPrototypeOf(tools, null)`, `Object.freeze(tools)`,
		`tools.github.createIssue.x = 1`,
	} {
		if err := fails(t, script(imports+change), newHost()); err.Name != "TypeError" {
			t.Errorf("%s: %s %s, want a TypeError", change, err.Name, err.Message)
		}
	}
}

func TestToolsWithoutServers(t *testing.T) {
	job := script(imports + `console.log(tools); export default Object.keys(tools)`)
	job.Names = nil
	h := newHost()
	if out := run(t, job, h); string(out.Value) != "[]" || h.stdout() != "{}\n" {
		t.Errorf("tools = %s, shown as %q, want [] and {}", out.Value, h.stdout())
	}
	job.Compiled.JavaScript = imports + `tools.github`
	if err := fails(t, job, newHost()); err.Message != "tools.github does not exist; tools has no server" {
		t.Errorf("message = %q", err.Message)
	}
}

func TestCallsThatWereNotAwaited(t *testing.T) {
	h := newHost()
	h.tool = nil
	answer := script(imports + `tools.github.createIssue({}); export default "done"`)
	answer.Answer = &runner.AnswerContext{} // its calls have runner.Grace
	out := run(t, answer, h)
	if string(out.Value) != `"done"` || len(h.calls) != 1 {
		t.Errorf("Value = %s after %d calls, want done after 1", out.Value, len(h.calls))
	}

	h = newHost()
	out = run(t, script(imports+`const all = []; [1, 2].forEach(async (id) => all.push(await tools.github.createIssue({ id }))); export default all`), h)
	if len(h.calls) != 2 || strings.Count(string(out.Value), "id") != 2 {
		t.Errorf("Value = %s after %d calls, want the answers of 2", out.Value, len(h.calls))
	}
}

// TestFormsOfArguments: the host encodes plain objects, the engine all other values.
func TestFormsOfArguments(t *testing.T) {
	for args, want := range map[string]string{
		``:          `{}`,
		`undefined`: `{}`,
		`{}`:        `{}`,
		`null`:      `null`,
		`"{}"`:      `"{}"`,
		`1.5`:       `1.5`,
		`[1, "a"]`:  `[1,"a"]`,
		`{ a: undefined, b: [null, -0, 1e21, "\ud800"] }`:                   "{\"b\":[null,0,1e+21,\"\uFFFD\"]}",
		`{ 2: "b", 1: "a", list: [undefined, NaN] }`:                        `{"1":"a","2":"b","list":[null,null]}`,
		`{ get a() { return 1 }, b: new Date(0), c: 2n ** 60n }`:            `{"a":1,"b":"1970-01-01T00:00:00.000Z","c":1152921504606846976}`,
		`{ m: new Map([["k", new Set([1])]]), u: new URL("https://a.b/") }`: `{"m":{"k":[1]},"u":"https://a.b/"}`,
		`{ text: "x".repeat(2 ** 20).slice(0, 3) + "€" }`:                   `{"text":"xxx€"}`,
	} {
		h := newHost()
		run(t, script(imports+`await tools.github.createIssue(`+args+`)`), h)
		if len(h.calls) != 1 || string(h.calls[0].Args) != want {
			t.Errorf("%s: calls %v, want one with %s", args, h.calls, want)
		}
	}
	h := newHost()
	run(t, script(imports+`await tools.github.createIssue({ text: "é".repeat(2 ** 20) })`), h)
	if len(h.calls) != 1 || string(h.calls[0].Args) != `{"text":"`+strings.Repeat("é", 1<<20)+`"}` {
		t.Error("large arguments have changed")
	}
}

func TestArgumentsThatJSONCannotHold(t *testing.T) {
	for _, args := range []string{`() => 1`, `(() => { const a = {}; a.a = a; return a })()`} {
		h := newHost()
		if err := fails(t, script(imports+`await tools.github.createIssue(`+args+`)`), h); err.Name != "TypeError" || len(h.calls) > 0 {
			t.Errorf("%s: %s %s after %d calls, want a TypeError and no call", args, err.Name, err.Message, len(h.calls))
		}
	}
}

func TestUnmatchedAnswersAreDropped(t *testing.T) {
	h := newHost()
	h.tool = func(_ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		for _, id := range []string{"7", "-1", "x", "1e9"} {
			h.answers <- quickjs.Answer{CallID: id, Value: json.RawMessage(`"wrong"`)}
		}
		h.answers <- quickjs.Answer{Stdin: []byte("nobody asked")}
		return json.RawMessage(`"right"`), nil
	}
	if out := run(t, script(imports+`export default await tools.github.createIssue({})`), h); string(out.Value) != `"right"` {
		t.Errorf("Value = %s, want right", out.Value)
	}
}

func TestMoreCallsUnderWayThanTheBudget(t *testing.T) {
	h := newHost()
	h.tool = nil
	job := script(`import { tools, exit } from "toolscript"; for (let i = 0; i < 5; i++) tools.github.createIssue({}).catch((e) => console.log(e.code));
await new Promise((r) => setTimeout(r, 1)); exit(0)`)
	job.Limits.ToolCalls = 3
	run(t, job, h)
	if len(h.calls) != 3 || h.stdout() != "limit_calls\nlimit_calls\n" {
		t.Errorf("%d calls began and the others gave %q, want 3 and limit_calls", len(h.calls), h.stdout())
	}
}

// TestManyTools calls a tool of a catalog with 2,000 tools.
func TestManyTools(t *testing.T) {
	many := &naming.Names{Key: "many"}
	for s := range 20 {
		server := naming.Server{Ident: fmt.Sprint("server", s), Name: fmt.Sprint("server-", s)}
		for i := range 100 {
			server.Tools = append(server.Tools, naming.Tool{Ident: fmt.Sprint("tool", i), ID: fmt.Sprintf("server-%d__tool_%d", s, i)})
		}
		many.Servers = append(many.Servers, server)
	}
	h := newHost()
	job := script(imports + `await tools.server7.tool42({}); export default Object.keys(tools).length`)
	job.Names = many
	if out := run(t, job, h); string(out.Value) != "20" || h.calls[0].ID != "server-7__tool_42" {
		t.Errorf("Value = %s after %v", out.Value, h.calls)
	}
}

// TestLargeAnswersAreCollected: large answers with cycles are collected; together they need more
// memory than the heap has.
func TestLargeAnswersAreCollected(t *testing.T) {
	h := newHost()
	answer := json.RawMessage(`{"list":[` + strings.Repeat(`{"id":1,"name":"x"},`, 10_000) + `0]}`)
	h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) { return answer, nil }
	job := script(imports + `let n = 0; for (let i = 0; i < 40; i++) { const a = await tools.github.listIssues({}); a.self = a; n += a.list.length } export default n`)
	job.Limits.MemoryMB = 24
	if out := run(t, job, h); string(out.Value) != "400040" {
		t.Errorf("value = %s, want 400040", out.Value)
	}
}
