package harness_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// TestFunctional runs the specification's 30 functional tests, which check behavior. The specification
// names the first eleven; each of the others checks one sentence of it.
func TestFunctional(t *testing.T) {
	s := newScene(t, settings{})
	slices.Concat(basicExecution, promiseLifecycle, approvalFlow, detection, parsing, toolFacade, results).run(t, s, 30)
}

var basicExecution = table{
	{name: "Single tool call", rule: "const x = await tools.readFile(...)", test: func(s *scene) {
		o := s.value("return await tools.add({ a: 1, b: 2 })", `{"sum":3}`)
		if len(o.ToolCalls) != 1 || o.ToolCalls[0].Tool != "workspace__add" || string(o.ToolCalls[0].Result) != `{"sum":3}` {
			s.Errorf("calls %+v", o.ToolCalls)
		}
	}},
	{name: "Sequential tools", rule: "Multiple dependent tools (use output of tool A in tool B)", test: func(s *scene) {
		o := s.value("const a = await tools.add({ a: 1, b: 2 }); const b = await tools.add({ a: a.sum, b: 10 }); return b.sum", "13")
		if len(o.ToolCalls) != 2 || string(o.ToolCalls[1].Args) != `{"a":3,"b":10}` {
			s.Errorf("calls %+v", o.ToolCalls)
		}
	}},
	{name: "Parallel tools (Promise.all)", rule: "Parallel execution (run tools simultaneously)", test: func(s *scene) {
		s.value("const all = await Promise.all([1, 2, 3, 4].map(() => tools.meet({ of: 'parallel' }))); return all.length", "4") // each call waits for the three others
	}},
	{name: "Conditional logic (if/then)", rule: "Conditional logic (if X succeeds, then Y, else Z)", test: func(s *scene) {
		s.notes()
		s.value("const { sum } = await tools.add({ a: 1, b: 2 }); if (sum > 2) { await tools.note({ text: 'large' }) } else { await tools.note({ text: 'small' }) } return sum", "3")
		if got := s.notes(); !cmp.Equal(got, []string{"large"}) {
			s.Errorf("calls %q", got)
		}
	}},
	{name: "Error handling (try/catch)", rule: "Error recovery (try/catch around tool calls)", test: func(s *scene) {
		o := s.value("try { await tools.fail({}) } catch (err) { return (err as Error).name + ': ' + (err as Error).message } finally { await tools.note({ text: 'finally' }) }", `"ToolError: the disk is full"`)
		if o.ToolCalls[0].OK || o.ToolCalls[0].Error == nil || !cmp.Equal(s.notes(), []string{"finally"}) {
			s.Errorf("calls %+v", o.ToolCalls)
		}
	}},
}

var promiseLifecycle = table{
	{name: "Orphaned promise cleanup", rule: "Tracker aborts slow, waits 250ms", test: func(s *scene) {
		s.notes()
		o := s.fails("const slow = tools.wait({}); await tools.waiting({}); const fast = await tools.add({ a: 1, b: 2 }); return fast.sum", "DetachedPromiseError", "workspace__wait")
		if !cmp.Equal(s.notes(), []string{"aborted"}) || string(o.Value) != "3" {
			s.Errorf("the call was not aborted, or the value %s is not kept", o.Value)
		}
		o = s.fails("const slow = tools.deaf({}); return 1", "DetachedPromiseError", "workspace__deaf") // it does not end within the grace period
		if o.Error.Phase != "finalizing" {
			s.Errorf("phase %s", o.Error.Phase)
		}
	}},
	{name: "Promise.race cancellation", rule: "Loser automatically aborted", test: func(s *scene) {
		s.notes()
		o := s.fails("const add = () => tools.add({ a: 2, b: 2 }); const winner = await Promise.race([tools.wait({}), tools.waiting({}).then(add)]); return winner", "DetachedPromiseError", "workspace__wait")
		if !cmp.Equal(s.notes(), []string{"aborted"}) || string(o.Value) != `{"sum":4}` {
			s.Errorf("the loser was not aborted, or the value %s is not that of the winner", o.Value)
		}
		s.value("const slow = tools.spawn.exec('wait', {}); await tools.waiting({}); const winner = await Promise.race([slow.done, tools.add({ a: 2, b: 2 })]); await slow.cancel(); return winner", `{"sum":4}`)
		s.awaitNote()
		if !cmp.Equal(s.notes(), []string{"aborted"}) {
			s.Error("the task was not aborted")
		}
	}},
	{name: "Timeout with pending calls", rule: "Timeout → ScriptTimeoutError (partial results preserved)", slow: "await tools.add({ a: 1, b: 2 }); await tools.hang({})", test: func(s *scene) {
		o := s.failed(s.slow, "the script", "ScriptTimeoutError", "30")
		if len(o.ToolCalls) != 2 || string(o.ToolCalls[0].Result) != `{"sum":3}` || o.ToolCalls[1].OK {
			s.Errorf("calls %+v", o.ToolCalls)
		}
		if m := o.Error.Metadata; fmt.Sprint(m["completedTools"]) != "1" || fmt.Sprint(m["pendingTools"]) != "1" {
			s.Errorf("metadata %v", m)
		}
	}},
}

const catching = `try { return await tools.guarded({ text: "TEXT" }) } catch (err) { return [(err as Error).name, (err as Error).message] }`

var approvalFlow = table{
	{name: "Approval required tool pauses script", rule: "Execution pauses here until approved", test: func(s *scene) {
		s.notes()
		done := s.asking("await tools.note({ text: 'before' }); await tools.guarded({ text: 'rm' }); await tools.note({ text: 'after' }); return 1")
		r := s.next()
		if r.Tool != "workspace__guarded" || r.Args != `{"text":"rm"}` || r.code == "" {
			s.Errorf("request %+v", r.Approval)
		}
		pending, err := s.gateway.PendingApprovals(s.Context())
		if got := s.notes(); err != nil || len(pending) != 1 || !cmp.Equal(got, []string{"before"}) {
			s.Errorf("while it waits: calls %q, requests %v, %v", got, pending, err)
		}
		if err := s.answer(r, toolscript.ApprovalAllow, "", ""); err != nil {
			s.Error(err)
		}
		<-done
		s.notes()
	}},
	{name: "Approval granted → script resumes", rule: "QuickJS resumes execution at await point", test: func(s *scene) {
		s.notes()
		done := s.asking(strings.Replace(catching, "TEXT", "granted", 1))
		if err := s.answer(s.next(), toolscript.ApprovalAllow, "", ""); err != nil {
			s.Error(err)
		}
		if o := <-done; !o.OK || string(o.Value) != `{"noted":"granted"}` || !cmp.Equal(s.notes(), []string{"granted"}) {
			s.Errorf("output %s, %+v", o.Value, o.Error)
		}
	}},
	{name: "Approval denied → catchable error", rule: "if (err.name === 'ApprovalDeniedError')", test: func(s *scene) {
		s.notes()
		done := s.asking(strings.Replace(catching, "TEXT", "denied", 1))
		if err := s.answer(s.next(), toolscript.ApprovalDeny, "", "not on Fridays"); err != nil {
			s.Error(err)
		}
		if o := <-done; string(o.Value) != `["ApprovalDeniedError","workspace__guarded was denied: not on Fridays"]` || len(s.notes()) > 0 {
			s.Errorf("output %s, %+v", o.Value, o.Error)
		}
	}},
	{name: "Approval timeout → ApprovalTimeoutError", rule: "reject(new ApprovalTimeoutError())", test: func(s *scene) {
		short := newScene(s.T, settings{timeout: 1}) // nobody answers within a nanosecond
		o := short.value(strings.Replace(catching, "TEXT", "late", 1), `["ApprovalTimeoutError","workspace__guarded was not approved within 1ns; answer requests with: toolscript approvals; `+
			`without a desktop, write \"confirm\": \"terminal\" or a rule that allows the tool into approvals of ~/.toolscript.json"]`)
		if len(o.ToolCalls) != 1 || o.ToolCalls[0].OK || len(short.notes()) > 0 {
			s.Errorf("calls %+v", o.ToolCalls)
		}
	}},
}

var detection = table{
	{name: "Scripts only in assistant messages", rule: "Only in assistant messages", test: func(s *scene) {
		s.notes()
		const note = `<tool-calls>await tools.note({ text: 'x' })</tool-calls>`
		quoted, err := json.Marshal(note)
		if err != nil {
			s.Fatal(err)
		}
		for _, role := range []string{"user", "system", "developer", "tool", "function", "Assistant", ""} {
			a, err := answer.Read([]byte(`[{"role":"`+role+`","content":`+string(quoted)+`,"tool_call_id":"1"},{"role":"assistant","content":"text"}]`), answer.Chat)
			if err != nil {
				s.Errorf("%s: %v", role, err)
				continue
			}
			if found := outputs(s.processed(a, harness.Options{})); len(found) > 0 {
				s.Errorf("role %q: %+v", role, found)
			}
		}
		if got := s.notes(); len(got) > 0 {
			s.Errorf("calls %q", got)
		}
	}},
	{name: "Multiple blocks", rule: "Multiple blocks supported (executed sequentially)", test: func(s *scene) {
		s.notes()
		found := outputs(s.process(block("await tools.note({ text: '1' }); throw new Error('no')")+" then "+block("await tools.note({ text: '2' }); return 2"), harness.Options{}))
		if len(found) != 2 || found[0].OK || string(found[1].Value) != "2" || !cmp.Equal(s.notes(), []string{"1", "2"}) {
			s.Errorf("outputs %+v", found)
		}
	}},
	{name: "Surrounding text preserved", rule: "Surrounding text preserved (model can explain before/after script)", test: func(s *scene) {
		before, after := "I look.\r\n\t`<tool-calls>` is a tag.\u2028", "\n\n  All 3 tests pass. \x00"
		var texts []string
		for _, item := range s.process(before+block("return 1")+after, harness.Options{}) {
			if text, ok := item.(harness.Text); ok {
				texts = append(texts, text.Text)
			}
		}
		if diff := cmp.Diff([]string{before, after}, texts); diff != "" {
			s.Errorf("texts (-want +got):\n%s", diff)
		}
	}},
}

func (s *scene) parse(code string, start answer.Position) harness.Parsed {
	s.Helper()
	got, err := harness.Parse(s.Context(), s.gateway, code, start)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

var parsing = table{
	{name: "UTF-8 encoding", rule: "UTF-8 encoding valid", test: func(s *scene) {
		s.fails("return '\xff'", "ScriptParseError", "not UTF-8")
		s.value("return 'größe 日本 😀'.length", "11")
	}},
	{name: "Unbalanced XML tags", rule: "Balanced XML tags", test: func(s *scene) {
		s.notes()
		for _, text := range []string{"<tool-calls>await tools.note({ text: 'x' })", "<tool-calls>await tools.note({ text: 'x' })<tool-calls>", "</tool-calls> <tool-calls>await tools.note({ text: 'x' })"} {
			found := outputs(s.process(text, harness.Options{}))
			if len(found) == 0 || slices.ContainsFunc(found, func(o harness.ScriptToolCallOutput) bool { return o.Error == nil || o.Error.Code != "ScriptParseError" }) {
				s.Errorf("%s: %+v", text, found)
			}
		}
		if got := s.notes(); len(got) > 0 {
			s.Errorf("calls %q", got)
		}
	}},
	{name: "Banned tokens in strings and comments", rule: "No banned tokens (require, import, eval, new Function)", test: func(s *scene) {
		s.value("// require('fs'), import, eval\n/* new Function() */ return 'import x from \"y\"' + `eval(${'require'})`", `"import x from \"y\"eval(require)"`)
		s.value("const o = { require: 1, eval: 2, import: 3, Function: 4 }; return o.require + o.eval + o.import + o.Function", "10")
	}},
	{name: "Syntax error with line and column", rule: "Syntax valid (attempt compilation probe); Virtual filename: <tool-calls>:15:3", test: func(s *scene) {
		o := outputs(s.process(strings.Repeat("line\n", 13)+block("\n  ((;"), harness.Options{}))[0]
		if o.OK || o.Error == nil || o.Error.Code != "ScriptParseError" || o.Error.Phase != "parsing" || !strings.HasPrefix(o.Error.Message, "<tool-calls>:15:5: ") {
			s.Errorf("error %+v", o.Error)
		}
	}},
	{name: "Automatic async wrapping", rule: "If script uses await at top level: Automatically wrapped", test: func(s *scene) {
		s.value("const x = await tools.add({ a: 1, b: 1 });\nreturn x.sum", "2")
		s.value("return (async () => { return (await tools.add({ a: 1, b: 1 })).sum })()", "2")
		s.value("return 5", "5")
		if o := s.run("const x = 1"); !o.OK || o.Value != nil {
			s.Errorf("without a return: %s, %+v", o.Value, o.Error)
		}
	}},
	{name: "Output of the parser", rule: "{success, script: {sourceCode, hasReturn}, error}", test: func(s *scene) {
		code := "const f = () => { return 1 }; return await tools.add({ a: f(), b: 2 })"
		p := s.parse(code, answer.Position{})
		if !p.Success || p.Script == nil || p.Script.SourceCode != code || !p.Script.HasReturn || p.Error != "" {
			s.Errorf("parsed %+v", p)
		}
		if p := s.parse("const f = () => { return 1 }; f()", answer.Position{}); !p.Success || p.Script.HasReturn {
			s.Errorf("a return of a function: %+v", p)
		}
		if p := s.parse("const = 1", answer.Position{}); p.Success || p.Script != nil || p.Error == "" {
			s.Errorf("a syntax error: %+v", p)
		}
	}},
}

var toolFacade = table{
	{name: "Argument validation", rule: "Argument validation: Against tool schemas", test: func(s *scene) {
		s.fails("await tools.add({ a: '1', b: 2 })", "ScriptCheckError", "not assignable")
		for _, args := range []string{"{ a: '1', b: 2 }", "{ a: 1 }", "{ a: 1, b: 2, c: 3 }", "[]", "null", "'x'", "undefined"} {
			o := s.run("await tools.add(" + args + " as any)")
			if o.OK || o.Error == nil || o.Error.Phase != "executing" {
				s.Errorf("%s: %s, %+v", args, o.Value, o.Error)
			}
		}
	}},
	{name: "Concurrency limit", rule: "4 concurrent; Execute in batches", test: func(s *scene) {
		s.mu.Lock()
		s.most = 0
		s.mu.Unlock()
		s.value("return (await Promise.all(Array.from({ length: 12 }, (_, n) => tools.meet({ of: `group ${Math.floor(n / 4)}` })))).length", "12")
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.most != 4 {
			s.Errorf("%d calls at once, want 4", s.most)
		}
	}},
	{name: "Result freezing", rule: "Result freezing: Immutable return values", test: func(s *scene) {
		s.fails("const r = await tools.add({ a: 1, b: 2 }); (r as any).sum = 4; return r", "TypeError", "")
		s.value("const r = await tools.add({ a: 1, b: 2 }); return [Object.isFrozen(r), { ...r, sum: 4 }.sum]", "[true,4]")
	}},
	{name: "Detached task (tools.spawn)", rule: "Returns immediately with task handle; Explicit cancel available", test: func(s *scene) {
		s.notes()
		s.value(`const task = tools.spawn.exec("add", { a: 1, b: 2 }); return (await task.done).sum`, "3")
		s.value(`const task = tools.spawn.exec("wait", {}); await tools.waiting({}); await task.cancel(); return await task.done.then(() => "done", () => "cancelled")`, `"cancelled"`)
		s.awaitNote()
		if !cmp.Equal(s.notes(), []string{"aborted"}) {
			s.Error("the task was not aborted")
		}
	}},
	{name: "Rate-limited console", rule: "console = RateLimitedProxy{log, warn, error}", test: func(s *scene) {
		o := s.value("for (let i = 0; i < 20000; i++) console.log('a line of output', i); console.warn('w'); console.error('e'); return 1", "1")
		if len(o.Console) > 16<<10 || !strings.HasPrefix(o.Console, "a line of output 0\na line of output 1\n") {
			s.Errorf("%d bytes of output: %.100q", len(o.Console), o.Console)
		}
	}},
	{name: "Language support", rule: "Arrow functions, Template literals, Destructuring, Spread operator, Classes: Supported", test: func(s *scene) {
		s.value("class A { #n = 1; static make() { return new A() } get n() { return this.#n } }\n"+
			"const { n, ...rest } = { n: A.make().n, a: 2, b: [3, 4] }; const [first, ...others] = [...rest.b, 5];\n"+
			"const settled = await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('x'))]);\n"+
			"return [`${n}`, rest.a ?? 0, first, others, settled.map((r) => r.status), await Promise.any([Promise.reject(), Promise.resolve('any')]), new Map([[1, 2]]).get(1)]",
			`["1",2,3,[4,5],["fulfilled","rejected"],"any",2]`)
	}},
}

var results = table{
	{name: "Error object", rule: "Script errors include code, message, phase, scriptId, toolName, callId, stack, metadata", test: func(s *scene) {
		o := s.fails("await tools.add({ a: 1, b: 2 });\nawait tools.fail({})", "ToolError", "the disk is full")
		e := o.Error
		if e.Phase != "executing" || e.ScriptID != o.ScriptID || !regexp.MustCompile(`^scr_[0-9a-f]+$`).MatchString(e.ScriptID) || e.ToolName != "workspace__fail" || e.CallID != o.ToolCalls[1].CallID {
			s.Errorf("error %+v", e)
		}
		if !strings.Contains(e.Stack, "<tool-calls>:3:") || fmt.Sprint(e.Metadata["completedTools"]) != "2" || e.Metadata["elapsedMs"] == nil {
			s.Errorf("stack %q, metadata %v", e.Stack, e.Metadata)
		}
	}},
	{name: "Progress events", rule: "emitProgress surfaces as OutputTextDelta event; Tool calls emit events automatically", test: func(s *scene) {
		var shown []string
		for _, item := range s.process(block("context.telemetry.emitProgress('Running tests...'); await tools.add({ a: 1, b: 2 }); try { await tools.fail({}) } catch {} return 1"), harness.Options{}) {
			switch i := item.(type) {
			case harness.ToolCallStart:
				shown = append(shown, "start "+i.Tool)
			case harness.ToolCallEnd:
				shown = append(shown, fmt.Sprintf("end %s %v", i.Tool, i.OK))
			case harness.OutputTextDelta:
				shown = append(shown, i.Delta)
			}
		}
		if diff := cmp.Diff([]string{"Running tests...", "start workspace__add", "end workspace__add true", "start workspace__fail", "end workspace__fail false"}, shown); diff != "" {
			s.Errorf("events (-want +got):\n%s", diff)
		}
	}},
	{name: "Metrics and script cache", rule: "durationMs, toolCallsMade, memoryUsedMb, cacheHit, compilationCacheHit; Key: SHA-256 of source code", test: func(s *scene) {
		const code = "/* a script of its own */ return (await tools.add({ a: 40, b: 2 })).sum"
		first, again := s.value(code, "42"), s.value(code, "42")
		for i, m := range []*harness.Metrics{first.Metrics, again.Metrics} {
			if m == nil || m.DurationMs <= 0 || m.ToolCallsMade != 1 || m.MemoryUsedMB <= 0 || m.CacheHit != (i == 1) || m.CompilationCacheHit != (i == 1) {
				s.Errorf("run %d: %+v", i+1, m)
			}
		}
	}},
}
