package quickjs_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript/runner/quickjs"
)

// leftovers are attempts to leave state for the next script on the same VM. The first
// script runs plant, the second runs look, which must give the result of a new VM.
var leftovers = []struct{ name, plant, look, want string }{
	{"global", `try { globalThis.left = 1 } catch {} try { Object.defineProperty(globalThis, "left", { value: 1 }) } catch {}`, `typeof left`, `"undefined"`},
	{"prototype", `for (const p of [Object, Array, Promise, Map, String, Error]) try { p.prototype.left = 1 } catch {}`,
		`[{}, [], Promise.resolve(), new Map(), "", new Error()].map((v) => typeof v.left)`, `["undefined","undefined","undefined","undefined","undefined","undefined"]`},
	{"method", `try { Array.prototype.map = () => "left" } catch {} try { JSON.stringify = () => "left" } catch {}`, `[1].map((n) => n + 1)`, `[2]`},
	{"module", `import * as ts from "toolscript"; for (const o of [ts.tools, ts.tools.github, ts.env, ts.args, ts.default]) try { o.left = 1 } catch {}`,
		`await import("toolscript").then((ts) => ["left" in ts.tools, typeof ts.env.left, typeof ts.args.left, Object.keys(ts.tools.github).includes("left")])`,
		`[false,"undefined","undefined",false]`},
	{"timer", `import { exit } from "toolscript"; setTimeout(() => console.log("late"), 1); setInterval(() => console.log("late"), 1); exit(0)`,
		`await new Promise((done) => setTimeout(() => done("quiet"), 20))`, `"quiet"`},
	{"pending promise", `import { exit } from "toolscript"; const go = () => Promise.resolve().then(() => { console.log("late"); return go() }); queueMicrotask(() => exit(0)); go(); await new Promise(() => {})`,
		`await (async () => { for (let i = 0; i < 100; i++) await null; return "quiet" })()`, `"quiet"`},
	{"call under way", `import { tools, exit } from "toolscript"; tools.github.createIssue({ left: 1 }).then(() => console.log("late")); exit(0)`,
		`await (async () => { for (let i = 0; i < 100; i++) await null; return "quiet" })()`, `"quiet"`},
	{"symbol registry", `Symbol.for("left").description`, `Object.getOwnPropertySymbols(globalThis).includes(Symbol.for("left"))`, `false`},
	{"finalizer", `const r = new FinalizationRegistry(() => console.log("late")); for (let i = 0; i < 100; i++) r.register({}, 1)`, `"quiet"`, `"quiet"`},
	{"exhausted memory", `try { const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1)) } catch {}`, `new Uint8Array(1e7).length`, `10000000`},
	{"time zone of a date", `new Date().getTimezoneOffset()`, `new Date(0).getHours()`, `0`},
}

func TestInterruptedRunsLeaveNoState(t *testing.T) {
	vm := newVM(t)
	for _, l := range leftovers {
		t.Run(l.name, func(t *testing.T) {
			vm.Run(t.Context(), script(l.plant), newHost())
			h := newHost()
			out := vm.Run(t.Context(), script("export default "+l.look), h)
			if out.Err != nil || string(out.Value) != l.want || h.stdout() != "" {
				t.Errorf("the next script finds %s, %+v, and prints %q; want %s and nothing", out.Value, out.Err, h.stdout(), l.want)
			}
		})
	}
}

// TestClockStartsWithTheRun checks that the time origin is the start of the run, not
// of the image.
func TestClockStartsWithTheRun(t *testing.T) {
	vm := newVM(t)
	var last float64
	for range 5 {
		got := numbers(t, vm, `[performance.timeOrigin, performance.now(), Date.now()]`)
		if origin := got[0]; origin < last-1 { // the two system clocks agree to some microseconds
			t.Errorf("a run's clock begins at %f, that of the run before at %f", origin, last)
		}
		if off := got[2] - got[0] - got[1]; off < -2 || off > 1000 {
			t.Errorf("performance.now is %f ms off the time of day", off)
		}
		last = got[0]
	}
}

func numbers(t *testing.T, vm *quickjs.VM, expression string) []float64 {
	t.Helper()
	out := vm.Run(t.Context(), script("export default "+expression), newHost())
	var all []float64
	if err := json.Unmarshal(out.Value, &all); err != nil {
		t.Fatalf("%s gave %s, %+v: %v", expression, out.Value, out.Err, err)
	}
	return all
}
