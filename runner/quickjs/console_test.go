package quickjs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/runner"
)

// TestInspect compares the output with that of Node.js 20 for the same expression. test/sandbox has the usual values.
func TestInspect(t *testing.T) {
	tests := []struct{ expression, want string }{
		{`[1, , , 4, ,]`, `[ 1, <2 empty items>, 4, <1 empty item> ]`},
		{`{a: {b: {c: [1]}}}, {a: {b: {c: {}}}}, {a: {b: {c: () => 1}}}`,
			`{ a: { b: { c: [Array] } } } { a: { b: { c: {} } } } { a: { b: { c: [Function: c] } } }`},
		{`new (class Foo { x = 1; #y = 2; get z() { return 1 } }), new (class extends Array {})(2)`,
			`Foo { x: 1 } [ <2 empty items> ]`},
		{`new Proxy({a: 1}, { get() { throw 1 }, ownKeys() { throw 2 } }), new Proxy([1], {})`, `{ a: 1 } [ 1 ]`},
		{`{[Symbol.toStringTag]: "T"}, Math`, `{ [Symbol(Symbol.toStringTag)]: 'T' } Object [Math] {}`},
		{`Array.from({length: 9}, (_, i) => "item" + i * 7)`,
			"[\n  'item0',  'item7',\n  'item14', 'item21',\n  'item28', 'item35',\n  'item42', 'item49',\n  'item56'\n]"},
		{`{s: "x".repeat(70), t: 1}`, "{\n  s: '" + strings.Repeat("x", 70) + "',\n  t: 1\n}"},
		{`new Map(Array.from({length: 102}, (_, i) => [i, i])).size, [new Error("e", {cause: 1})].length`, `102 1`},
		{`(function () { return arguments })(1)`, `[Arguments] { '0': 1 }`},
		{`new URLSearchParams("a=1"), new AbortController()`,
			`URLSearchParams { 'a' => '1' } AbortController { signal: AbortSignal { aborted: false } }`},
	}
	for _, test := range tests {
		t.Run(test.expression, func(t *testing.T) {
			h := newHost()
			run(t, script(`console.log(`+test.expression+`)`), h)
			if diff := cmp.Diff(test.want+"\n", h.stdout()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInspectErrors(t *testing.T) {
	h := newHost()
	run(t, script(`const e = new TypeError("bad", {cause: new Error("why")}); e.code = 5;
console.log(e);
console.log({e: new RangeError("in")}, [Object.assign(new Error("no frames"), {stack: ""})]);
console.log(new AggregateError([new Error("one")], "many"));
class Mine extends Error {}; console.log(new Mine("own"));`), h)
	want := `TypeError: bad
    at script.ts:1:40 {
  code: 5,
  [cause]: Error: why
      at script.ts:1:40
}
{
  e: RangeError: in
      at script.ts:3:17
} [
  Error: no frames
      at script.ts:3:55
]
AggregateError: many
    at script.ts:4:33 {
  [errors]: [
    Error: one
        at script.ts:4:33
  ]
}
Mine: own
    at script.ts:5:42
`
	if diff := cmp.Diff(want, h.stdout()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestFormat(t *testing.T) {
	tests := []struct{ args, want string }{
		{`"%s is %d and %i, %f", "Bob", "42.5", 42.9, "1.5"`, `Bob is 42.5 and 42, 1.5`},
		{`"%j %O %o %%", {a: [1]}, {b: 2}, {c: 3}`, `{"a":[1]} { b: 2 } { c: 3 } %`},
		{`"%s %s %s", {a: {b: 1}}, 1n, null`, `{ a: [Object] } 1n null`},
		{`"%d %d %i", 1n, {}, "x"`, `1n NaN NaN`},
		{`"%c styled", "color: red"`, ` styled`},
		{`"%s"`, `%s`}, {`"%s %s", 1`, `1 %s`}, {`"100%", 1`, `100% 1`}, {`"a", {b: 1}, "c"`, `a { b: 1 } c`},
		{`{a: 1}, "%s", 2`, `{ a: 1 } %s 2`},
		{``, ``},
	}
	for _, test := range tests {
		h := newHost()
		run(t, script(`console.log(`+test.args+`)`), h)
		if got := strings.TrimSuffix(h.stdout(), "\n"); got != test.want {
			t.Errorf("console.log(%s) = %q, want %q", test.args, got, test.want)
		}
	}
}

func TestConsole(t *testing.T) {
	h := newHost()
	run(t, script(`function f() { console.trace("here %d", 1) } f(); console.table(["p"]);
console.time("t"); console.timeEnd("t"); console.timeEnd("t");`), h)
	wantOut := `┌─────────┬────────┐
│ (index) │ Values │
├─────────┼────────┤
│ 0       │ 'p'    │
└─────────┴────────┘
`
	out := h.stdout()
	timed := strings.LastIndex(out, "t: ")
	if timed < 0 || !strings.HasSuffix(out, "ms\n") {
		t.Fatalf("no time in %q", out)
	}
	if diff := cmp.Diff(wantOut, out[:timed]); diff != "" {
		t.Errorf("standard output (-want +got):\n%s", diff)
	}
	wantErr := `Trace: here 1
    at f (script.ts:1:24)
    at script.ts:1:45
Warning: No such label 't' for console.timeEnd()
`
	if diff := cmp.Diff(wantErr, h.output[runner.Stderr].String()); diff != "" {
		t.Errorf("standard error (-want +got):\n%s", diff)
	}
}

func TestOutputIsText(t *testing.T) {
	h := newHost()
	run(t, script(`console.log("\ud800|\0|é😀|" + "x".repeat(100000))`), h)
	if want := "���|\x00|é😀|" + strings.Repeat("x", 100000) + "\n"; h.stdout() != want && h.stdout() != strings.Replace(want, "���", "�", 1) {
		t.Errorf("output = %.40q, want %.40q", h.stdout(), want)
	}
}

// TestTableOfManyRows prints more rows than a function call can have arguments.
func TestTableOfManyRows(t *testing.T) {
	const rows = 70_000
	h := newHost()
	run(t, script(`console.table(new Array(70_000).fill(1))`), h)
	if n := strings.Count(h.stdout(), "\n"); n != rows+4 {
		t.Errorf("%d lines for %d rows, want 4 more", n, rows)
	}
}
