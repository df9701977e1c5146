package quickjs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

func TestValue(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"no export", `1`, ``},
		{"undefined", `export default undefined`, ``},
		{"null", `export default null`, `null`},
		{"object", `export default {a: 1, b: [true, "x"], c: undefined}`, `{"a":1,"b":[true,"x"]}`},
		{"text with a lone surrogate", `export default "\ud800é"`, "\"\uFFFDé\""},
		{"BigInt", `export default 1n`, "1"},
		{"nested BigInt", `export default {deep: {id: 9007199254740993n}}`, `{"deep":{"id":9007199254740993}}`},
		{"NUL", `export default "a\0b"`, `"a\u0000b"`},
		{"promise", `export default Promise.resolve(3)`, `3`},
		{"promise of a promise's object", `export default (async () => ({a: await 1}))()`, `{"a":1}`},
		{"thenable", `export default { then(resolve) { resolve("then") } }`, `"then"`},
		{"toJSON", `export default { d: new Date(0), x: { toJSON: () => 5 } }`, `{"d":"1970-01-01T00:00:00.000Z","x":5}`},
		{"numbers that JSON has not", `export default [NaN, Infinity, -0]`, `[null,null,0]`},
		{"top-level await", `const x = await Promise.resolve(2); export default x * 2`, `4`},
		{"tools are awaited as they are", `import { tools } from "toolscript"; const t = await tools; export default Object.keys(await t.github)`, `["createIssue","listIssues"]`},
		{"a patched JSON is not used", `const f = JSON.stringify; try { JSON.stringify = () => "forged" } catch {} export default f({a:1})`, `"{\"a\":1}"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, script(test.script), newHost())
			if got := string(out.Value); got != test.want {
				t.Errorf("Value = %s, want %s", got, test.want)
			}
			if out.ExitCode != 0 {
				t.Errorf("ExitCode = %d, want 0", out.ExitCode)
			}
		})
	}
}

func TestInvalidValue(t *testing.T) {
	tests := []struct{ name, script, message string }{
		{"function", `export default () => 1`, "is a function"},
		{"nested function", `export default {cb() {}}`, `holds, at "cb", a function`},
		{"symbol", `export default [Symbol("x")]`, `holds, at "[0]", a symbol`},
		{"cycle", `const a = {}; a.a = [a]; export default a`, "holds itself"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := fails(t, script(test.script), newHost())
			if err.Code != toolscript.InvalidResult || err.Phase != toolscript.Finalizing || err.Name != "InvalidResultError" {
				t.Errorf("error is %s %s in %s, want InvalidResultError invalid_result in finalizing", err.Name, err.Code, err.Phase)
			}
			if !strings.Contains(err.Message, test.message) {
				t.Errorf("message %q does not say %q", err.Message, test.message)
			}
		})
	}
}

func TestForgedErrorsAreErrorsOfTheScript(t *testing.T) {
	err := fails(t, script(`const e = new TypeError("x"); e.name = "InvalidResultError"; e.code = "limit_time"; throw e`), newHost())
	if err.Code != toolscript.Threw {
		t.Errorf("Code = %s, want threw", err.Code)
	}
}

func TestValueTooLarge(t *testing.T) {
	job := script(`export default "x".repeat(1000)`)
	job.Limits.ValueBytes = 1001
	err := fails(t, job, newHost())
	if err.Code != toolscript.LimitOutput || !strings.Contains(err.Message, "1002 bytes") || !strings.Contains(err.Message, "1001") {
		t.Errorf("error = %s %q, want limit_output with both sizes", err.Code, err.Message)
	}
	job.Limits.ValueBytes = 1002
	run(t, job, newHost())
}

// FuzzText passes the text of a tool through a script: to its output, and back as its value.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a\x00b", "é😀", "\u2028\ufeff", `"\\`, "</script>", "__proto__"} {
		f.Add(seed)
	}
	vm := newVM(f)
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		h := newHost()
		h.tool = func(runner.Call) (json.RawMessage, *toolscript.ToolError) { return quoted, nil }
		out := vm.Run(t.Context(), script(imports+`const r = await tools.github.createIssue({}); console.log(r); export default r`), h)
		var got string
		if err := json.Unmarshal(out.Value, &got); err != nil || out.Err != nil {
			t.Fatalf("%q gave %s: %v, %+v", text, out.Value, err, out.Err)
		}
		want := strings.ToValidUTF8(text, "\ufffd")
		if json.Unmarshal(quoted, &want) != nil || got != want || h.stdout() != want+"\n" {
			t.Errorf("%q came back as %q and was printed as %q", want, got, h.stdout())
		}
	})
}
