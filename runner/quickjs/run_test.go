package quickjs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

func TestUncaughtErrors(t *testing.T) {
	tests := []struct {
		name, script string
		want         toolscript.RunError
	}{
		{
			"throw in functions", "function inner() {\n  throw new Error('boom');\n}\nconst outer = () => inner();\nouter();",
			toolscript.RunError{
				Name: "Error", Code: toolscript.Threw, Message: "boom",
				Stack: "    at inner (script.ts:2:9)\n    at outer (script.ts:4:21)\n    at script.ts:5:1",
			},
		},
		{
			"late rejection", "const f = async () => { await 1; null.x };\nawait f();",
			toolscript.RunError{Name: "TypeError", Code: toolscript.Threw, Message: "cannot read property 'x' of null", Stack: "    at f (script.ts:1:33)"},
		},
		{
			"unhandled rejection", "Promise.reject(new RangeError('nobody listens'));\nexport default 1;",
			toolscript.RunError{Name: "RangeError", Code: toolscript.Threw, Message: "nobody listens", Stack: "    at script.ts:1:16"},
		},
		{
			"throw in a timer", "setTimeout(() => { throw new Error('late') }, 1);\nexport default 1;",
			toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "late", Stack: "    at script.ts:1:26"},
		},
		{
			"throw in a microtask", "queueMicrotask(() => { throw new Error('micro') }); await new Promise(() => {});",
			toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "micro", Stack: "    at script.ts:1:30"},
		},
		{
			"rejected default", "export default Promise.reject(new Error('in the value'));",
			toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "in the value", Stack: "    at script.ts:1:31"},
		},
		{"text", "throw 'just text'", toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "just text"}},
		{"object", "throw {code: 5}", toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "{ code: 5 }"}},
		{"undefined", "throw undefined", toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "undefined"}},
		{
			"class of the script", "class Mine extends Error {}\nthrow new Mine('x')",
			toolscript.RunError{Name: "Mine", Code: toolscript.Threw, Message: "x", Stack: "    at script.ts:2:7"},
		},
		{
			"cause", "throw new Error('outer', {cause: 'inner'})",
			toolscript.RunError{
				Name: "Error", Code: toolscript.Threw, Message: "outer", Stack: "    at script.ts:1:7",
				Metadata: map[string]any{"cause": "'inner'"},
			},
		},
		{
			"DOMException", "structuredClone(() => 1)",
			toolscript.RunError{Name: "DataCloneError", Code: toolscript.Threw, Message: "[Function (anonymous)] could not be cloned."},
		},
		{
			"await that never settles", "await new Promise(() => {})",
			toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "the script's top-level await never settled"},
		},
		{
			"default that never settles", "export default new Promise(() => {})",
			toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: "the script's top-level await never settled"},
		},
		{
			"dynamic import", "await import('node:fs')",
			toolscript.RunError{Name: "Error", Code: toolscript.Threw, Message: `cannot import "node:fs": a script can import only "toolscript" and files such as "./lib.ts"`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := fails(t, script(test.script), newHost())
			got.Phase = "" // another test checks it
			test.want.ScriptID = "run-1"
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCodeThatDoesNotCompile(t *testing.T) {
	for _, text := range []string{`const = 1`, `import x from "fs"`, `import { nothing } from "toolscript"`} {
		err := fails(t, script(text), newHost())
		if err.Code != toolscript.CheckFailed || err.Phase != toolscript.Parsing {
			t.Errorf("%s: %s in %s, want check in parsing", text, err.Code, err.Phase)
		}
	}
}

func TestPhases(t *testing.T) {
	for text, want := range map[string]toolscript.Phase{
		`throw 1`:                               toolscript.Executing,
		`export default Promise.reject(1)`:      toolscript.Executing,
		`export default {toJSON() { throw 1 }}`: toolscript.Finalizing,
		`await new Promise(() => {})`:           toolscript.Executing,
	} {
		if got := fails(t, script(text), newHost()).Phase; got != want {
			t.Errorf("%s: phase %s, want %s", text, got, want)
		}
	}
}

func TestHandledRejectionsAreNoErrors(t *testing.T) {
	for _, text := range []string{
		`const p = Promise.reject(1); p.catch(() => {})`,
		`const p = Promise.reject(1); queueMicrotask(() => p.catch(() => {}))`,
		`await Promise.allSettled([Promise.reject(1)])`,
		`await Promise.race([Promise.resolve(1), new Promise((_, no) => no(2))])`,
		`new Promise(() => {})`,
		`try { await Promise.reject(1) } catch {}`,
	} {
		run(t, script(text), newHost())
	}
}

// TestManyHandledRejections handles rejections in reverse order. Each must take constant time;
// otherwise 50,000 of them exceed the limit.
func TestManyHandledRejections(t *testing.T) {
	job := script(`const all = Array.from({ length: 50_000 }, (_, i) => Promise.reject(i));
for (const one of all.reverse()) one.catch(() => {});`)
	job.Limits.TimeoutMs = pace.Limit(20 * time.Second).Milliseconds()
	run(t, job, newHost())
}

func TestStackHasThePlacesOfTheSource(t *testing.T) {
	job := script("const é = '😀'; throw new Error(é + 'x');\n")
	job.File = "dir/job.ts"
	job.Compiled.SourceMap = `{"version":3,"sources":["dir/job.ts"],"names":[],"mappings":"AAEA,gBACC,MAAM,IAAI",` +
		`"sourcesContent":["type T = string;\n\nconst é: T = '😀';\n\tthrow new Error(é + 'x');"]}`
	err := fails(t, job, newHost())
	if want := "    at dir/job.ts:4:12"; err.Stack != want {
		t.Errorf("Stack = %q, want %q", err.Stack, want)
	}
	if want := "\tthrow new Error(é + 'x');\n\t          ^"; err.Excerpt != want {
		t.Errorf("Excerpt = %q, want %q", err.Excerpt, want)
	}
}

func TestStackCannotBeForged(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"prepareStackTrace", "Error.prepareStackTrace = () => 'forged'; throw new Error('x')", "TypeError"},
		{"own stack", "const e = new Error('x'); e.stack = '    at forged (script.ts:9:9)'; throw e", "    at script.ts:1:11"},
		{"getter", "const e = new Error('x'); Object.defineProperty(e, 'stack', {get() { return 'forged' }}); throw e", "    at script.ts:1:11"},
		{"name of a function", "const f = { ['x (script.ts:9:9)']() { throw new Error('x') } }; Object.values(f)[0]()", ":1:45)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := fails(t, script(test.script), newHost())
			if !strings.Contains(err.Name+err.Stack, test.want) || strings.Contains(err.Stack, "forged") {
				t.Errorf("%s: stack %q, want %q", err.Name, err.Stack, test.want)
			}
		})
	}
}

func TestErrorsThatCannotBeDescribed(t *testing.T) {
	for _, text := range []string{
		`throw { get name() { throw 1 } }`,
		`const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e`,
		`throw new Proxy(new Error('x'), { get() { throw 1 }, getPrototypeOf() { throw 2 }, getOwnPropertyDescriptor() { throw 3 } })`,
		`throw new Proxy({}, { getPrototypeOf() { throw 2 } })`,
		`const e = new Error('x'); e.name = Symbol('s'); throw e`,
		`throw Object.create(null)`,
	} {
		if err := fails(t, script(text), newHost()); err.Code != toolscript.Threw || err.Name == "" {
			t.Errorf("%s: %+v, want an error that the script threw", text, err)
		}
	}
}

func TestExit(t *testing.T) {
	tests := []struct {
		name, script string
		code         int
		output       string
	}{
		{"without a code", `exit()`, 0, ""},
		{"with a code", `exit(7)`, 7, ""},
		{"Deno.exit", `Deno.exit(255)`, 255, ""},
		{"inside try and finally", `console.log("a"); try { exit(3) } catch { console.log("b") } finally { console.log("c") } console.log("d")`, 3, "a\n"},
		{"in a promise job", `await Promise.resolve().then(() => exit(4)).finally(() => console.log("never"))`, 4, ""},
		{"in a timer", `setTimeout(() => exit(5), 1); await new Promise(() => {})`, 5, ""},
		{"in a getter that console reads", `console.log({ toString() { exit(6) } } + "")`, 6, ""},
		{"while the value is made", `export default { toJSON() { exit(8) } }`, 8, ""},
		{"while an error is described", `throw { get [Symbol.toStringTag]() { exit(9) } }`, 1, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h, vm := newHost(), newVM(t)
			out := vm.Run(t.Context(), script(`import { exit } from "toolscript"; `+test.script), h)
			if out.ExitCode != test.code || h.stdout() != test.output || out.Value != nil {
				t.Errorf("exit code %d, output %q, value %s; want %d, %q and none", out.ExitCode, h.stdout(), out.Value, test.code, test.output)
			}
			wantFresh(t, vm)
		})
	}
}

func TestInvalidExitCodes(t *testing.T) {
	for _, code := range []string{`-1`, `256`, `1.5`, `"1"`, `null`, `NaN`} {
		if err := fails(t, script(`Deno.exit(`+code+`)`), newHost()); err.Name != "RangeError" {
			t.Errorf("exit(%s): %s %s, want a RangeError", code, err.Name, err.Message)
		}
	}
}

func TestArgsEnvironmentAndFolder(t *testing.T) {
	job := script(`import { args, cwd, env } from "toolscript";
export default [args, cwd(), env.get("TOOLSCRIPT_GATEWAY_URL"), env.get("HOME") ?? null, env.get("toString") ?? null,
  Deno.args, Deno.cwd(), Deno.env.get("TOOLSCRIPT_GATEWAY_URL"), env.toObject()]`)
	job.Args, job.Cwd, job.Env = []string{"a", "ü b"}, "/home/me", map[string]string{"TOOLSCRIPT_GATEWAY_URL": "http://h/x"}
	want := `[["a","ü b"],"/home/me","http://h/x",null,null,["a","ü b"],"/home/me","http://h/x",{"TOOLSCRIPT_GATEWAY_URL":"http://h/x"}]`
	if out := run(t, job, newHost()); string(out.Value) != want {
		t.Errorf("Value = %s, want %s", out.Value, want)
	}
}

func TestTimeZone(t *testing.T) {
	for zone, want := range map[string]string{
		"UTC":              `"Mon Jul 01 2024 12:00:00 GMT+0000 (Coordinated Universal Time)"`,
		"America/New_York": `"Mon Jul 01 2024 08:00:00 GMT-0400 (Eastern Daylight Time)"`,
		"Asia/Kolkata":     `"Mon Jul 01 2024 17:30:00 GMT+0530 (India Standard Time)"`,
		"":                 `"Mon Jul 01 2024 12:00:00 GMT+0000 (Coordinated Universal Time)"`,
		"No/Such":          `"Mon Jul 01 2024 12:00:00 GMT+0000 (Coordinated Universal Time)"`,
	} {
		job := script(`export default new Date("2024-07-01T12:00:00Z").toString()`)
		job.TZ = zone
		if out := run(t, job, newHost()); string(out.Value) != want {
			t.Errorf("in %q: %s, want %s", zone, out.Value, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	out := run(t, script(`const a = new Array(100000).fill(1); for (let i = 0; i < 1e6; i++); globalThis.x?.(a); export default a.length`), newHost())
	m := out.Metrics
	if m.RunMs <= 0 || m.CPUMs <= 0 || m.MemoryBytes < 800_000 || m.MemoryBytes > 10<<20 {
		t.Errorf("Metrics = %+v, want times and a heap of about a megabyte", m)
	}
}
