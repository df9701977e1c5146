package quickjs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

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
