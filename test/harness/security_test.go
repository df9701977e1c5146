package harness_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// TestSecurity runs the specification's 20 security tests, which check isolation. The specification
// names the first nine; each of the others checks one sentence of it.
func TestSecurity(t *testing.T) {
	s := newScene(t, settings{})
	table{
		{name: "Access to require → ReferenceError", rule: "No banned tokens (require, import, eval, new Function)", test: func(s *scene) {
			s.fails("return require('fs')", "ScriptParseError", "require is not allowed")
			s.fails("// @ts-ignore\nconst r = require; return r('fs')", "ScriptParseError", "require is not allowed")
			s.value("return typeof (globalThis as any)['requ' + 'ire']", `"undefined"`)
			if got := s.engineError("const r = require; return r('fs')"); !strings.HasPrefix(got, "ReferenceError: ") {
				s.Errorf("in the engine: %q", got)
			}
		}},
		{name: "Access to process → undefined", rule: "delete globalThis.process", test: func(s *scene) {
			s.value("return typeof (globalThis as any).process", `"undefined"`)
			s.fails("return process.env", "ScriptCheckError", "Cannot find name 'process'")
			s.fails("// @ts-ignore\nreturn process.env", "ReferenceError", "process is not defined")
		}},
		{name: "Modify Object.prototype → fails (frozen)", rule: "Object.freeze(Object.prototype)", test: func(s *scene) {
			s.fails("(Object.prototype as any).polluted = 1", "TypeError", "not extensible")
			s.fails("Object.prototype.toString = () => 'x'", "TypeError", "read-only")
			s.fails("Object.defineProperty(Object.prototype, 'polluted', { value: 1 })", "TypeError", "")
			s.fails("Object.setPrototypeOf(Object.prototype, { polluted: 1 })", "TypeError", "")
			s.value("try { (({}) as any).__proto__.polluted = 1 } catch {} return ({} as any).polluted ?? 'clean'", `"clean"`)
		}},
		{name: "Use eval → ReferenceError", rule: "delete globalThis.eval", test: func(s *scene) {
			s.fails("return eval('1')", "ScriptParseError", "eval is not allowed")
			s.fails("return (0, eval)('1')", "ScriptParseError", "eval is not allowed")
			s.value("return typeof (globalThis as any)['ev' + 'al']", `"undefined"`)
			if got := s.engineError("return eval('1')"); !strings.HasPrefix(got, "ReferenceError: ") {
				s.Errorf("in the engine: %q", got)
			}
		}},
		{name: "Create new Function → ReferenceError", rule: "delete globalThis.Function", test: func(s *scene) {
			s.fails("return new Function('return 1')()", "ScriptParseError", "new Function is not allowed")
			s.value("return typeof (globalThis as any)['Func' + 'tion']", `"undefined"`)
			if got := s.engineError("return new Function('return 1')()"); !strings.HasPrefix(got, "ReferenceError: ") {
				s.Errorf("in the engine: %q", got)
			}
		}},
		{name: "Infinite loop → timeout at 30s", rule: "timeoutMs: 30000, hard wall clock limit", slow: "for (;;) {}", test: func(s *scene) {
			o := s.failed(s.slow, "the loop", "ScriptTimeoutError", "30")
			if o.Metrics == nil || o.Metrics.DurationMs < 29_000 || o.Error.Phase != "executing" {
				s.Errorf("metrics %+v, error %+v", o.Metrics, o.Error)
			}
			s.value("return 1", "1")
		}},
		{name: "Memory exhaustion → MemoryLimitError", rule: "Memory → ScriptMemoryError", test: func(s *scene) {
			s.fails("const all: unknown[] = []; for (;;) all.push(new Array(1000).fill(all.length))", "ScriptMemoryError", "96")
			s.fails("const all: unknown[] = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))", "ScriptMemoryError", "96")
			s.value("return 1", "1")
		}},
		{name: "Large return → truncated with error", rule: "maxReturnBytes: 131072", test: func(s *scene) {
			o := s.fails("return 'a'.repeat(128 * 1024)", "ScriptSizeError", "131072")
			if len(o.Value) > 128<<10 || o.Error.Phase != "finalizing" {
				s.Errorf("%d bytes of value, phase %s", len(o.Value), o.Error.Phase)
			}
			if o := s.run("return 'a'.repeat(128 * 1024 - 2)"); !o.OK || len(o.Value) != 128<<10 {
				s.Errorf("a value of 128 KB: %d bytes, %+v", len(o.Value), o.Error)
			}
		}},
		{name: "Tool spam → ToolBudgetExceededError", rule: "Max 32 total calls", test: func(s *scene) {
			o := s.fails("for (let i = 0; i < 1000; i++) await tools.add({ a: i, b: 1 })", "ToolBudgetExceededError", "32")
			if len(o.ToolCalls) != 32 || strings.Contains(o.Error.Message, "--") { // scripts in answers have no options of toolscript exec
				s.Errorf("%d calls, %s", len(o.ToolCalls), o.Error.Message)
			}
			s.notes()
			o = s.run("return (await Promise.allSettled(Array.from({ length: 100 }, (_, i) => tools.note({ text: `${i}` })))).filter((r) => r.status === 'fulfilled').length")
			if n := len(s.notes()); n > 32 || o.OK && string(o.Value) != "32" {
				s.Errorf("%d calls at once were made: %s %+v", n, o.Value, o.Error)
			}
		}},
		{name: "Import modules", rule: "Modules: NO (import/require disabled)", test: func(s *scene) {
			for _, code := range []string{"import fs from 'node:fs'", "import 'https://example.test/x.js'", "return await import('fs')", "import { tools } from 'toolscript'", "export * from 'fs'", "const name = 'fs'; return await import(name)"} {
				s.fails(code, "ScriptParseError", "not allowed")
			}
		}},
		{name: "Access Node.js APIs", rule: "No Node.js APIs available", test: func(s *scene) {
			s.value(`const names = ["require", "module", "exports", "process", "Buffer", "global", "__dirname", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "WebAssembly", "SharedArrayBuffer", "Atomics", "std", "os", "bjson", "navigator"];
				return names.filter((name) => typeof (globalThis as any)[name] !== "undefined")`, "[]")
		}},
		{name: "Access host globals", rule: "Object.freeze(globalThis)", test: func(s *scene) {
			s.value("return Object.isFrozen(globalThis)", "true")
			s.fails("(globalThis as any).leaked = 1", "TypeError", "not extensible")
			s.fails("delete (globalThis as any).Object", "TypeError", "")
			s.fails("(globalThis as any).console = 1", "TypeError", "")
			s.value("return [Deno.env.get('TOOLSCRIPT_TEST_SECRET'), Deno.env.get('PATH'), JSON.stringify(Deno.env.toObject())]", `[null,null,"{}"]`)
		}},
		{name: "Prototype pollution of intrinsics", rule: "All intrinsics frozen (Object, Array, Function, Promise)", test: func(s *scene) {
			s.value(`const all: [string, any][] = [["Array", Array.prototype], ["Function", Object.getPrototypeOf(() => 1)], ["Promise", Promise.prototype], ["Map", Map.prototype], ["Set", Set.prototype],
				["AsyncFunction", Object.getPrototypeOf(async () => 1)], ["Iterator", Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))], ["Error", Error.prototype], ["JSON", JSON], ["Math", Math]];
				return all.filter(([, o]) => { try { o.polluted = 1; } catch { return !Object.isFrozen(o) } return true }).map(([name]) => name)`, "[]")
			s.fails("Array.prototype.map = (() => []) as any; return [1].map((x) => x)", "TypeError", "read-only")
			s.fails("Promise.prototype.then = (() => 1) as any", "TypeError", "read-only")
		}},
		{name: "Dynamic code generation", rule: "No eval or dynamic code generation", test: func(s *scene) {
			s.value(`const made: [string, () => unknown][] = [
				["function", () => ((() => 1).constructor as any)("return 1")()],
				["async", () => ((async () => 1).constructor as any)("return 1")()],
				["generator", () => (Object.getPrototypeOf(function* () {}).constructor as any)("yield 1")()],
				["async generator", () => (Object.getPrototypeOf(async function* () {}).constructor as any)("yield 1")()],
				["Reflect", () => (Reflect.construct((() => 1).constructor as any, ["return 1"]) as any)()],
				["bound", () => ((() => 1).constructor as any).bind(null, "return 1")()()],
				["eval", () => (globalThis as any)["ev" + "al"]("1")],
				["timer", () => (setTimeout as any)("1", 0)],
			];
			return made.filter(([, make]) => { try { make(); return true } catch { return false } }).map(([name]) => name)`, "[]")
		}},
		{name: "Access to a tool that is not allowed", rule: "Whitelist enforcement: Only allowed tools accessible", test: func(s *scene) {
			s.notes()
			for _, code := range []string{
				"return await (tools as any).note({ text: 'x' })", "return await (tools as any).workspace.note({ text: 'x' })", "return await (tools as any)['no' + 'te']({ text: 'x' })",
				"return await (tools as any).workspace['note'].call(null, { text: 'x' })", "return await Reflect.get(tools.workspace, 'note')({ text: 'x' })", "return await (tools as any).$call('workspace__note', { text: 'x' })",
				"const { add } = tools.workspace as any; add.toString(); return await add.constructor('return tools.workspace.note')()",
			} {
				o := outputs(s.process(block(code), harness.Options{Allow: toolscript.Filter{"workspace__add"}}))[0]
				if o.OK || len(o.ToolCalls) > 0 {
					s.Errorf("%s: %s, %+v", code, o.Value, o.ToolCalls)
				}
			}
			call := answer.Answer{API: answer.Messages, Parts: []answer.Part{{Call: &answer.Call{ID: "1", Name: "note", Args: json.RawMessage(`{"text":"x"}`)}}}}
			if r, ok := s.processed(call, harness.Options{Allow: toolscript.Filter{"workspace__add"}})[0].(harness.ToolResult); !ok || !r.IsError {
				s.Errorf("structured call: %+v", r)
			}
			if got := s.notes(); len(got) > 0 {
				s.Errorf("calls were made: %q", got)
			}
		}},
		{name: "Replace a tool", rule: "Only explicit tools exposed", test: func(s *scene) {
			s.fails("(tools.workspace as any).add = async () => ({ sum: 0 })", "TypeError", "cannot be changed")
			s.fails("(tools as any).add = 1", "TypeError", "cannot be changed")
			s.fails("delete (tools as any).workspace", "TypeError", "cannot be changed")
			s.fails("Object.setPrototypeOf(tools, {})", "TypeError", "")
			s.value("return (await tools.add({ a: 1, b: 2 })).sum", "3")
		}},
		{name: "Stack overflow", rule: "maxStackBytes: 524288; Stack → Stack overflow error", test: func(s *scene) {
			s.fails("const f = (): number => 1 + f(); return f()", "ScriptStackError", "")
			s.fails("let v: unknown = 0; for (let i = 0; i < 1e5; i++) v = [v]; return String(v)", "ScriptStackError", "")
			if !testing.Short() { // takes 5 s of CPU, because QuickJS compares each value with all that contain it
				s.fails("let v: unknown = 0; for (let i = 0; i < 1e5; i++) v = [v]; return JSON.stringify(v)", "ScriptStackError", "")
			}
			s.value("return 1", "1")
		}},
		{name: "Script size over 20KB", rule: "Script size <= 20KB; Pre-execution check", test: func(s *scene) {
			s.notes()
			s.fails("await tools.note({ text: 'x' }) //"+strings.Repeat("a", 20<<10)+"\n", "ScriptSizeError", "20480")
			if got := s.notes(); len(got) > 0 {
				s.Errorf("it ran: %q", got)
			}
		}},
		{name: "Host paths in errors", rule: "No host paths exposed", test: func(s *scene) {
			executable, err := os.Executable()
			if err != nil {
				s.Fatal(err)
			}
			for _, code := range []string{
				"throw new Error('x')", "null!.x", "await tools.fail({})", "return (await tools.add({ a: 1, b: 2 }) as any).x.y", "await tools.readFile({ filePath: 'none' })",
				"const f = () => { throw new RangeError('x') }; await Promise.all([1].map(async () => f()))", "JSON.parse('{')", "return new Error('x').stack",
			} {
				o := s.run(code)
				text, err := json.Marshal(o)
				if err != nil {
					s.Fatal(err)
				}
				for _, path := range []string{s.root, engine, filepath.Dir(executable), "/src/", ".go:", "file://", "node_modules"} {
					if strings.Contains(string(text), path) {
						s.Errorf("%s shows %s: %s", code, path, text)
					}
				}
				if o.Error != nil && o.Error.Stack != "" && !strings.Contains(o.Error.Stack, "<tool-calls>:") {
					s.Errorf("%s: stack %q", code, o.Error.Stack)
				}
			}
		}},
		{name: "State of another script", rule: "Create fresh context or reset existing", test: func(s *scene) {
			const leave = `const kept: string[] = [];
				for (const [name, put] of Object.entries({
					global: () => { (globalThis as any).left = "state" },
					symbol: () => { (Symbol as any).left = "state" },
					console: () => { (console as any).left = "state" },
					tool: () => { (tools.add as any).left = "state" },
					array: () => { ([].constructor as any).left = "state" },
				})) { try { put(); kept.push(name) } catch {} }
				return kept`
			const look = `return [(globalThis as any).left, (Symbol as any).left, (console as any).left, (tools.add as any).left, ([].constructor as any).left].filter((x) => x !== undefined)`
			for range 3 {
				found := outputs(s.process(block(leave)+block(look), harness.Options{}))
				if diff := cmp.Diff([]string{"[]", "[]"}, []string{string(found[0].Value), string(found[1].Value)}); diff != "" {
					s.Errorf("kept, and found by the next (-want +got):\n%s", diff)
				}
			}
		}},
	}.run(t, s, 20)
}
