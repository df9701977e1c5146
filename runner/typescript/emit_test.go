package shim_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/microsoft/typescript-go/shim"
)

func TestEmit(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"types", "a = <T,>(x: T) => x; b = y as const; c = d satisfies E; f?.(g!.h!)", "a = (x) => x;\nb = y;\nc = d;\nf?.(g.h);\n"},
		{"declarations", "declare global { var y: 1 } declare function q(): void; class Q { m(): void; m(a?: any) {} [k: string]: any }", "class Q {\n m(a) { }\n}\n"},
		{"an import of a type", "import { Foo, bar } from 'lib'; import { Baz } from 'lib'; let x: Foo<Baz>; bar()", "import { bar } from 'lib';\nlet x;\nbar();\n"},
		{"an import in typeof", "import { a } from 'lib'; let x: typeof a", "let x;\n"},
		{"an import that a namespace renames", "import * as m from 'lib'; import T = m.T; import f = m.f; f(1 as T)", "import * as m from 'lib';\nvar f = m.f;\nf(1);\n"},
		{"an import without names", "import 'lib'", "import 'lib';\n"},
		{"an import of a declared name", "declare const args: string[]; import { args } from 'lib'; args", "import { args } from 'lib';\nargs;\n"},
		{"attributes of imports", "import a from 'b' with { type: 'text' }; export * from 'c' with { type: 'json' }; await import(a, { with: { type: 'text' } })", "import a from 'b';\nexport * from 'c';\nawait import(a);\n"},
		{"exports of types", "interface A {}\ntype B = 1; const D = 1; import type { T } from 'x'; import { type U } from 'x'; export { A, B, D, T, U }", "const D = 1;\nexport { D };\n"},
		{"exports of imported types", "import { A, B, C, D } from 'x'; export type { A }; export { type B, D }; declare class E extends C {}", "import { D } from 'x';\nexport { D };\n"},
		{"a type as default", "interface X {} export default X", ""},
		{"a name that is type and value", "interface X {} const X = 1; export default X", "const X = 1;\nexport default X;\n"},
		{"exports of other modules", "export * as ns from './x'; export { a } from './y'", "export * as ns from './x';\nexport { a } from './y';\n"},
		{"a parameter property", "class A { constructor(private readonly a = 1) {} }", "class A {\n a;\n constructor(a = 1) {\n  this.a = a;\n }\n}\n"},
		{"an enum", "enum F { A = 1, B = A << 2, 'c-d' = B, E = F['c-d'] + F.A, S = 's', L = S.length, Z }", `var F;
(function (F) {
 F[F["A"] = 1] = "A";
 F[F["B"] = 4] = "B";
 F[F["c-d"] = 4] = "c-d";
 F[F["E"] = 5] = "E";
 F["S"] = "s";
 F[F["L"] = F.S.length] = "L";
 F[F["Z"] = void 0] = "Z";
})(F || (F = {}));
`},
		{"an enum of names", "enum A { X = 'x' } const c = A.X + 'c'; const t: string = c; enum A { Y = X, Z = t } namespace N { export enum B { Q = A.Y, R = c } } enum D { E = N.B.R }", `var A;
(function (A) {
 A["X"] = "x";
})(A || (A = {}));
const c = A.X + 'c';
const t = c;
(function (A) {
 A["Y"] = "x";
 A[A["Z"] = t] = "Z";
})(A || (A = {}));
var N;
(function (N) {
 let B;
 (function (B) {
  B["Q"] = "x";
  B["R"] = "xc";
 })(B = N.B || (N.B = {}));
})(N || (N = {}));
var D;
(function (D) {
 D["E"] = "xc";
})(D || (D = {}));
`},
		{"exported names of a namespace", "import * as m from 'lib'; namespace N { export namespace T { export type U = 1 } export const v = 1; export import a = m.b; export import t = T.U; export import w = N.v; import x = N.v }", `import * as m from 'lib';
var N;
(function (N) {
 N.v = 1;
 N.a = m.b;
 N.w = N.v;
})(N || (N = {}));
`},
		{"names that are declared twice", "function f(a) { var g; function g() {} function a() {} } type T = 1; type T = 2;", "function f(a) { var g; function g() { } function a() { } }\n"},
		{"parentheses", "-(-x as any); +<any>+y; for (let i = ('f' in o as any); ;) ; (-z as any) ** 2; (a?.b)!.c; (c as any)", "-(-x);\n+(+y);\nfor (let i = ('f' in o);;)\n ;\n(-z) ** 2;\n(a?.b).c;\n(c);\n"},
		{"texts", "let u = 'a\\u2028b' + `x\\u{1F600}${1}` + \"ä\"; var \\u0061b = 1_000", "let u = 'a\\u2028b' + `x\\u{1F600}${1}` + \"ä\";\nvar ab = 1_000;\n"},
		{"a source map of the text", "a()\n//# sourceMappingURL=file:///etc/passwd", "a();\n"},
	} {
		got, found := shim.Emit(c.text, false)
		if len(found) > 0 {
			t.Errorf("%s: %+v", c.name, found)
		}
		if got.JavaScript != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got.JavaScript, c.want)
		}
	}
}

// TestEmitLoops checks where a loop gets its block.
func TestEmitLoops(t *testing.T) {
	for text, want := range map[string]string{
		"a: b: for await (const q of y) continue a": "{\n const values_1 = __closing(y);\n try {\n  a: b: for await (const q of values_1)\n   continue a;\n }\n" +
			" finally {\n  await values_1.closed();\n }\n}\n",
		"if (1) for await (x of y);":        "if (1) {\n const values_1 = __closing(y);\n try {\n  for await (x of values_1)\n   ;\n }\n finally {\n  await values_1.closed();\n }\n}\n",
		"for await (const __closing of y);": "{\n const values_1 = __closing_(y);\n try {\n  for await (const __closing of values_1)\n   ;\n }\n finally {\n  await values_1.closed();\n }\n}\n",
		"for await (a of values_1) for await (b of a);": "{\n const values_2 = __closing(values_1);\n try {\n  for await (a of values_2) {\n   const values_2 = __closing(a);\n   try {\n" +
			"    for await (b of values_2)\n     ;\n   }\n   finally {\n    await values_2.closed();\n   }\n  }\n }\n finally {\n  await values_2.closed();\n }\n}\n",
	} {
		got, found := shim.Emit(text, false)
		_, loop, _ := strings.Cut(got.JavaScript, "\n};\n") // the end of __closing
		if loop != want || len(found) > 0 {
			t.Errorf("%s: %s%+v\nwant %s", text, loop, found, want)
		}
	}
}

// TestEmitManyNames checks that generated names stay distinct, and are found without a search through all numbers.
func TestEmitManyNames(t *testing.T) {
	got, found := shim.Emit("env_1_1\n"+strings.Repeat("{ using a = b }\n", 250), false)
	declared := map[string]bool{}
	for _, line := range strings.Split(got.JavaScript, "\n") {
		if name, ok := strings.CutPrefix(line, " const env_"); ok {
			name, _, _ = strings.Cut(name, " ")
			declared[name] = true
		}
	}
	if len(found) > 0 || len(declared) != 250 || !declared["1_2"] || !declared["2_50"] || declared["1_1"] {
		t.Errorf("%+v, names env_%v", found, slices.Sorted(maps.Keys(declared)))
	}
}

// TestEmitOfAPanic checks a text that the parser accepts and the emitter does not.
func TestEmitOfAPanic(t *testing.T) {
	if _, found := shim.Emit("@0 class{}", false); len(found) != 1 || !strings.HasSuffix(found[0].Message, "must have a name.") {
		t.Errorf("found %+v", found)
	}
}

// FuzzEmit checks that what is emitted is JavaScript.
func FuzzEmit(f *testing.F) {
	for _, seed := range []string{
		"enum E { A, B = 'x', C = A + E.B }", "namespace N.M { export const a = 1 }", "for await (const a of b) c", "@d class A<T> { accessor x = 1; constructor(private y) {} }",
		"using a = b; await using c = d", "0Bawait!0", "@(await a) class A {}", "import a, { type b } from 'c'; export { a as d }; export default a", "x = <T>(y) => `${y}`", "class A { static #p = A.#p; declare q; static {} }",
	} {
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, javaScript bool) {
		if len(text) > 2000 {
			t.Skip("the compiler needs minutes for some texts; a worker would be killed")
		}
		got, found := shim.Emit(text, javaScript)
		if parsed := shim.Parse(text, javaScript, nil); len(found) > 0 || parsed.CommonJS != nil || parsed.Decorated != nil {
			return
		}
		if again := shim.Parse(got.JavaScript, true, nil); again.Broken {
			t.Errorf("%q was compiled to a text that does not parse:\n%s", text, got.JavaScript)
		}
	})
}
