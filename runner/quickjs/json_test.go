package quickjs

import "testing"

// TestPlainJSON compares the JSON of values that are read from the engine's memory with the result of
// JSON.stringify.
func TestPlainJSON(t *testing.T) {
	in := vmOf(t, Options{}).instance
	for _, plain := range []string{
		`1`, `0`, `-0`, `-7`, `2147483647`, `-2147483648`, `4294967296`, `1.5`, `-1e-7`, `1e21`, `123456789012345680000`, `5e-324`, `0.1 + 0.2`, `2 ** 53`, `1.7976931348623157e308`,
		`true`, `false`, `null`, `""`, `"text"`, `"\"\\/\b\f\n\r\t\u0000\u001f\u007f"`, `"é ÿ"`, `"€ 😀"`, `"\u2028<&>"`,
		`[]`, `[[], [[1]]]`, `[1, "a", null, true, { a: 1 }]`, `new Array(3).fill(0)`, `Array.from({ length: 100 }, (_, i) => i)`,
		`({})`, `({ a: undefined })`, `({ a: undefined, b: 1, c: undefined })`, `({ "quoted \" é €": 1, ["__proto__"]: 2 })`, `({ a: { b: { c: [{}] } } })`,
		`(() => { const o = { a: 1, b: 2, c: 3 }; delete o.b; o.d = 4; return o })()`,
		`Object.defineProperty({ a: 1 }, "hidden", { value: 2 })`, `({ [Symbol("s")]: 1, [Symbol.iterator]: 2, a: 3 })`,
		`Object.assign(Object.create(null), { a: 1 })`, `Object.freeze({ a: 1 })`,
		`(() => { const shared = { a: [1] }; return [shared, shared, { shared }] })()`,
		`"abcdefghij".repeat(5000).slice(5, 40000)`, `"€uro".repeat(5000).slice(1, 15000)`, `JSON.parse('{"a":[1,2.5,-0,"x",{"b":null}],"é":"€"}')`,
	} {
		t.Run(plain[:min(len(plain), 60)], func(t *testing.T) {
			got, ok := in.plainJSON(evaluated(t, in, plain), 0)
			if want := in.text(evaluated(t, in, "JSON.stringify("+plain+")")); !ok || string(got) != want {
				t.Errorf("%.200s, %t; want %.200s", got, ok, want)
			}
		})
	}
	halves := `({ "\ude00 😀": ["\ud83d", "€ \ud83d \ude00\ud83d \\ud83d"] })`
	if got, ok := in.plainJSON(evaluated(t, in, halves), 0); !ok || string(got) != "{\"\uFFFD 😀\":[\"\uFFFD\",\"€ \uFFFD \uFFFD\uFFFD \\\\ud83d\"]}" {
		t.Errorf("halves of surrogate pairs: %s", got)
	}
	for _, other := range []string{
		`undefined`, `NaN`, `-Infinity`, `10n`, `2n ** 70n`, `Symbol("s")`, `() => {}`, `[undefined]`, `[,1]`, `[NaN]`, `({ a: () => {} })`, `({ a: 1n })`,
		`({ toJSON() { return 1 } })`, `Object.defineProperty({}, "toJSON", { value() { return 1 } })`, `new (class { toJSON() { return 1 } })()`, `({ get a() { return 1 } })`,
		`new Date(0)`, `new Map([[1, 2]])`, `new Set([1])`, `new Proxy({}, {})`, `new Proxy([], {})`, `new Uint8Array(2)`, `new Number(1)`, `new String("s")`, `/a/`, `new Error("e")`,
		`({ 2: 1, 1: 2 })`, `Object.freeze([1])`, `Object.assign([1], { toJSON() { return 2 } })`, `Object.setPrototypeOf([1], { toJSON() { return 2 } })`, `Object.create({ toJSON() { return 1 } })`,
		`(() => { const o = {}; o.o = o; return o })()`, `(() => { let o = 1; for (let i = 0; i < 300; i++) o = [o]; return o })()`,
		`(() => { let o = []; for (let i = 0; i < 100; i++) o = [o, o]; return o })()`, `Object.assign([1], { length: 5 })`, `(() => { let s = ""; for (let i = 0; i < 9999; i++) s += "xy"; return s })()`,
	} {
		if got, ok := in.plainJSON(evaluated(t, in, other), 1<<20); ok {
			t.Errorf("%s is %s, want it left to the engine", other, got)
		}
	}
	if got, ok := in.plainJSON(evaluated(t, in, `"x".repeat(10)`), 11); ok {
		t.Errorf("a value above the limit is %s", got)
	}
}

func evaluated(t *testing.T, in *instance, expression string) handle {
	t.Helper()
	value, thrown := in.eval("("+expression+")", "test", evalScript)
	if thrown || in.err != nil {
		t.Fatalf("%s: %s, %v", expression, in.text(in.get(value, "message")), in.err)
	}
	return value
}

// TestPlainJSONOfDamagedMemory: reading values survives a script that has attacked the engine and
// overwritten arbitrary memory.
func TestPlainJSONOfDamagedMemory(t *testing.T) {
	in := vmOf(t, Options{}).instance
	value := evaluated(t, in, `({ a: [1, "text", { b: 1 }], c: "€" })`)
	h := in.heap()
	_, at := h.value(uint32(value))
	for _, from := range []uint32{uint32(value), at, h.object(at).shape, h.object(at).props} {
		for offset := uint32(0); offset < 96; offset += 4 {
			before := h.word(from + offset)
			for _, wrong := range []uint32{0, 1, 0x7fffffff, 0xfffffff0, 0xffffffff, at} {
				in.memory.WriteUint32Le(from+offset, wrong)
				if got, _ := in.plainJSON(value, 1<<20); len(got) > 8<<20 {
					t.Errorf("%d bytes of JSON", len(got))
				}
			}
			in.memory.WriteUint32Le(from+offset, before)
		}
	}
}
