package quickjs_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// soon is the time within which a run must end after its deadline on a busy machine. On an idle
// machine a run ends within milliseconds.
const soon = 2 * time.Second

const (
	timeout = toolscript.LimitTime
	memory  = toolscript.LimitMemory
	stack   = toolscript.LimitStack
)

// attacks are scripts that try to outlive their limits. Each ends with one of the error kinds; ""
// means without an error. After each, the VM must be in its initial state.
var attacks = []struct {
	name, script string
	kinds        []toolscript.Kind
}{
	{"infinite loop", `while(true){}`, []toolscript.Kind{timeout}},
	{"microtasks", `const f=()=>Promise.resolve().then(f); await f()`, []toolscript.Kind{timeout, memory}},
	{"await loop", `while(true) await null`, []toolscript.Kind{timeout}},
	{"timer loop", `const f = () => setTimeout(f, 0); f(); await new Promise(() => {})`, []toolscript.Kind{timeout}},
	{"swallow", `for(;;){try{for(;;){}}catch(e){}}`, []toolscript.Kind{timeout}},
	{"finally", `try{for(;;){}}finally{for(;;){}}`, []toolscript.Kind{timeout}},
	{"array growth", `const a=[]; while(true) a.push({x:1})`, []toolscript.Kind{memory}},
	{"string doubling", `let s='xy'; while(true) s+=s`, []toolscript.Kind{toolscript.Threw, memory}},
	{"big buffer", `new ArrayBuffer(1e9)`, []toolscript.Kind{memory}},
	{"buffers", `const a=[]; while(true) a.push(new Uint8Array(1e6).fill(1))`, []toolscript.Kind{memory}},
	{"map growth", `const m=new Map(); let i=0; while(true) m.set(i++,{})`, []toolscript.Kind{memory}},
	{"catch and go on", `for(;;){const a=[]; try{while(true) a.push(new Uint8Array(1e5))}catch{}}`, []toolscript.Kind{timeout}},
	{"recursion", `function f(n){return f(n+1)+1} f(0)`, []toolscript.Kind{stack}},
	{"recursion, caught", `function f(n){try{return f(n+1)}catch(e){return n}} export default f(0)`, []toolscript.Kind{""}},
	{"deep parse", `JSON.parse('['.repeat(1e6))`, []toolscript.Kind{stack}},
	{"deep stringify", `let a=[]; for(let i=0;i<1e5;i++)a=[a]; JSON.stringify(a)`, []toolscript.Kind{stack, timeout, memory}},
	{"deep toString", `let a=[]; for(let i=0;i<1e5;i++)a=[a]; String(a)`, []toolscript.Kind{stack, timeout, memory}},
	{"deep value", `let a=[]; for(let i=0;i<1e5;i++)a=[a]; export default a`, []toolscript.Kind{stack, timeout, memory}},
	{"deep inspect", `let a=new Map(); for(let i=0;i<1e4;i++)a=new Map([[a,a]]); console.dir(a,{depth:null})`, []toolscript.Kind{stack, timeout, memory}},
	{"proxy chain", `let p={}; for(;;)p=new Proxy(p,{})`, []toolscript.Kind{memory}},
	{"bound chain", `let f=()=>{}; for(;;)f=f.bind(null)`, []toolscript.Kind{memory, stack, toolscript.Threw}},
	{"regex", `/^(a+)+$/.test('a'.repeat(40)+'b')`, []toolscript.Kind{timeout}},
	{"regex 2", `/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))`, []toolscript.Kind{timeout}},
	{"regex source", `new RegExp('('.repeat(1e5)+')'.repeat(1e5))`, []toolscript.Kind{toolscript.Threw, stack}},
	{"includes", `Array.prototype.includes.call({length:2**53-1},1)`, []toolscript.Kind{timeout}},
	{"sparse indexOf", `new Array(2**32-1).indexOf(1)`, []toolscript.Kind{timeout}},
	{"fill.call", `Array.prototype.fill.call({length:2**53-1},0)`, []toolscript.Kind{timeout, memory}},
	{"join", `new Array(2**32-1).join('')`, []toolscript.Kind{timeout}},
	{"string indexOf", `'a'.repeat(4e6).indexOf('a'.repeat(2e6)+'b')`, []toolscript.Kind{timeout}},
	{"fill over and over", `const u=new Uint8Array(8e6); for(;;)u.fill(1)`, []toolscript.Kind{timeout}},
	{"copyWithin over and over", `const u=new Uint8Array(8e6); for(;;)u.copyWithin(0,1)`, []toolscript.Kind{timeout}},
	{"sort", `const a=Array.from({length:2e6},(_, i)=>i^0x5555); a.sort()`, []toolscript.Kind{timeout, memory}},
	{"sort with a hostile order", `const a=Array.from({length:1e5},(_, i)=>i); for(;;)a.sort(()=>Math.random()-.5)`, []toolscript.Kind{timeout}},
	{"replaceAll", `for(;;)'a'.repeat(1e5).replaceAll('a','bbbbbbbbbb')`, []toolscript.Kind{timeout}},
	{"BigInt power", `3n**(10n**7n)`, []toolscript.Kind{toolscript.Threw, timeout, memory}},
	{"BigInt squares", `let x=3n; for(;;)x=x*x`, []toolscript.Kind{toolscript.Threw, timeout, memory}},
	{"BigInt text", `(2n**100000n*3n).toString().length; for(;;)(3n**50000n).toString()`, []toolscript.Kind{timeout}},
	{"big JSON", `JSON.parse('['+'1,'.repeat(4e6)+'1]')`, []toolscript.Kind{memory, timeout}},
	{"long output", `for(;;)console.log('x'.repeat(1e5))`, []toolscript.Kind{timeout}},
	{"generator", `function*g(){for(;;)yield 1} for(const x of g());`, []toolscript.Kind{timeout}},
	{"spread of an endless iterator", `function*g(){for(;;)yield 1} [...g()]`, []toolscript.Kind{memory, timeout}},
	{"toJSON loop", `export default {toJSON(){for(;;);}}`, []toolscript.Kind{timeout}},
	{"message loop", `throw {get [Symbol.toStringTag](){for(;;);}}`, []toolscript.Kind{timeout}},
	{"thenable loop", `export default {then(r){r({then:this.then})}}`, []toolscript.Kind{timeout, memory}},
	{"many timers", `for(;;)setTimeout(()=>{},1e6)`, []toolscript.Kind{memory, timeout}},
	{"tool flood", `import {tools} from "toolscript"; for(;;)tools.github.createIssue({})`, []toolscript.Kind{memory, timeout}},
	{"weak references", `const r=new FinalizationRegistry(()=>{for(;;);}); for(;;)r.register({},1)`, []toolscript.Kind{memory, timeout}},
	{"structuredClone", `let a={}; for(let i=0;i<1e5;i++)a={a}; structuredClone(a)`, []toolscript.Kind{stack, memory, timeout}},
	{"URL", `new URL('http://a/'+'a/../'.repeat(1e6))`, []toolscript.Kind{"", timeout, memory}},
	{"URL of quadratic names", `new URL('http://'+'é'.repeat(1e5)+'.x')`, []toolscript.Kind{"", timeout, memory, toolscript.Threw}},
	{"normalize", `for(;;)'ﷺ'.repeat(1e5).normalize('NFKD')`, []toolscript.Kind{timeout, memory}},
}

func TestAttacks(t *testing.T) {
	const limit = 250 * time.Millisecond
	vm := newVM(t)
	for i, attack := range attacks {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(attack.name, func(t *testing.T) {
			h := newHost()
			h.tool = nil
			job := script(attack.script)
			job.Limits = toolscript.Limits{TimeoutMs: limit.Milliseconds(), MemoryMB: 24, ValueBytes: 1 << 17}
			start := time.Now()
			out := vm.Run(t.Context(), job, h)
			took := time.Since(start)

			var kind toolscript.Kind
			if out.Err != nil {
				kind = out.Err.Code
			}
			// On a busy machine the time limit may apply first.
			if !slices.Contains(attack.kinds, kind) && kind != timeout {
				t.Errorf("ended as %q: %+v, want one of %q", kind, out.Err, attack.kinds)
			}
			if took > limit+pace.Limit(soon) {
				t.Errorf("took %v, want at most %v", took, limit+pace.Limit(soon))
			}
			t.Logf("%q after %v", kind, took)
			wantFresh(t, vm)
		})
	}
}

// TestConsoleLeavesNoState checks that the counts, groups and times of a console end with the run.
func TestConsoleLeavesNoState(t *testing.T) {
	vm := newVM(t)
	vm.Run(t.Context(), script(`console.count(); console.group(); console.time("t");`), newHost())
	wantFresh(t, vm)
	h := newHost()
	vm.Run(t.Context(), script(`console.count(); console.timeEnd("t"); console.log(performance.now() < 1000)`), h)
	if h.stdout() != "default: 1\ntrue\n" {
		t.Errorf("the second run prints %q", h.stdout())
	}
}

// TestRunAfterTheMemoryGrew checks that a VM works after a run that grew its memory.
// The next run recreates such a VM.
func TestRunAfterTheMemoryGrew(t *testing.T) {
	vm := newVM(t)
	for range 3 {
		out := vm.Run(t.Context(), script(`const a = []; for (let i = 0; i < 50; i++) a.push(new Uint8Array(1e6).fill(i)); export default a.length`), newHost())
		if string(out.Value) != "50" {
			t.Fatalf("Run = %s, %+v, want 50", out.Value, out.Err)
		}
	}
	wantFresh(t, vm)
}

func TestEachRunHasItsOwnRandomNumbers(t *testing.T) {
	vm := newVM(t)
	seen := map[any]bool{}
	for range 10 {
		out := vm.Run(t.Context(), script(`export default [...Array.from({ length: 5 }, Math.random), crypto.randomUUID()]`), newHost())
		var all []any
		if err := json.Unmarshal(out.Value, &all); err != nil {
			t.Fatalf("%s, %+v: %v", out.Value, out.Err, err)
		}
		for _, value := range all {
			if n, isNumber := value.(float64); seen[value] || isNumber && (n < 0 || n >= 1) {
				t.Fatalf("%v came before, or is no fraction", value)
			}
			seen[value] = true
		}
	}
}

// escapes are expressions that try to reach forbidden objects. Each must throw or be
// undefined.
var escapes = []string{
	`eval("1")`, `new Function("return 1")()`, `(() => {}).constructor("return 1")()`, `(async () => {}).constructor("return 1")`,
	`(function* () {}).constructor("yield 1")`, `(async function* () {}).constructor("yield 1")`,
	`Reflect.construct((() => {}).constructor, ["return 1"])`, `Object.getPrototypeOf(function(){}).constructor("1")`,
	`globalThis.fetch`, `globalThis.std`, `globalThis.os`, `globalThis.bjson`, `globalThis.process`, `globalThis.require`,
	`globalThis.__toolscript`, `globalThis.__host`, `globalThis.host`, `globalThis.SharedArrayBuffer`, `globalThis.Atomics`, `globalThis.WebAssembly`,
	`globalThis.Worker`, `globalThis.XMLHttpRequest`, `globalThis.WebSocket`, `globalThis.scriptArgs`, `globalThis.print`,
	`await import("fs")`, `await import("data:text/javascript,export default 1")`, `await import("/etc/passwd")`, `await import("file:///etc/passwd")`,
	`await import("toolscript:tools")`, `await import("./toolscript")`, `await import("script.ts2")`, `await import("")`,
	`Object.prototype.x = 1`, `Object.defineProperty(Array.prototype, "x", {value: 1})`, `Array.prototype.map = 1`, `Math.max = 1`, `JSON.stringify = 1`,
	`Promise.prototype.then = 1`, `Object.prototype.toString = 1`, `Map.prototype.get = 1`, `console.log = 1`, `Deno.cwd = 1`, `globalThis.x = 1`,
	`globalThis.Promise = 1`, `delete globalThis.Promise`, `Object.setPrototypeOf(Object.prototype, {})`, `Object.setPrototypeOf(Array.prototype, {})`,
	`Intl.NumberFormat = 1`, `Intl.x = 1`, `Intl.Collator.prototype.compare = 1`, `Intl.ListFormat.prototype.format = 1`, `Date.prototype.toLocaleString = 1`,
	`Error.prepareStackTrace = 1`, `URL.prototype.x = 1`, `Object.getPrototypeOf([][Symbol.iterator]()).next = 1`,
	`Object.getPrototypeOf((async function* () {}).prototype).next = 1`, `(await import("toolscript")).tools = 1`, `(await import("toolscript")).ToolError.prototype.x = 1`,
	`Deno.env.get("HOME")`, `Deno.env.get("__proto__")`, `Deno.env.get("constructor")`, `Deno.readTextFile`, `Deno.Command`,
	`(() => { return this })()`, `(function () { return this })()`, `(0, function () { return arguments.callee })()`,
}

func TestEscapes(t *testing.T) {
	vm := newVM(t)
	for _, expression := range escapes {
		out := vm.Run(t.Context(), script(`let got; try { got = (`+expression+`) } catch (e) { got = undefined } export default got === undefined`), newHost())
		if string(out.Value) != "true" {
			t.Errorf("%s gives something: %s %+v", expression, out.Value, out.Err)
		}
	}
}

func TestOrdinaryCodeWorksOnFrozenIntrinsics(t *testing.T) {
	value(t, `(() => {
  class E extends Error { constructor(m) { super(m); this.name = "E"; this.message += "!" } }
  const o = {}; o.toString = () => "own"; o.constructor = 1; o.valueOf = () => 2;
  function A() {} A.prototype.toString = () => "A"; A.prototype.constructor = A;
  class P extends Promise {}
  const arr = []; arr.constructor = Array; arr.toString = () => "arr";
  return [String(new E("m")), String(o), String(new A()), new P(() => {}) instanceof Promise, String(arr)]
})()`, `["E: m!","own","A",true,"arr"]`)
}
