package shim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/microsoft/typescript-go/shim"
)

const globals = `declare const console: { log(...a: unknown[]): void };`

const module = `
export interface EchoParams { message: string; times?: number }
export interface DemoTools { echo(params: EchoParams): Promise<any> }
export interface Tools { demo: DemoTools }
export declare const tools: Tools;`

// TestAdviceAboutIntl: a finding about a missing part of Intl lists the parts that exist.
func TestAdviceAboutIntl(t *testing.T) {
	checker := shim.New(globals)
	checker.Declare("1", module)
	for _, script := range []string{
		`new Intl.DateTimeFormat("en", { calendar: "japanese" });`,
		`new Date().toLocaleString("en", { timeZoneName: "shortGeneric" });`,
		`(1).toLocaleString("ar", { numberingSystem: "arab" });`,
		`new Intl.DateTimeFormat().formatRange(1, 2);`,
		`Intl.supportedValuesOf("currency");`,
		`new Intl.DisplayNames("en", { type: "region" });`,
		`new Intl.NumberFormat("en", { numberSystem: "arab" });`,
	} {
		found := check(t, checker, script, "1", true)
		if len(found) != 1 || !strings.Contains(found[0].Message, "Scripts have these parts of Intl: ") {
			t.Errorf("%s: %+v, want one finding with advice", script, found)
		}
	}
	if found := check(t, checker, `const n: number = "a";`, "1", true); len(found) != 1 || strings.Contains(found[0].Message, "Intl") {
		t.Errorf("another finding: %+v, want no advice", found)
	}
}

func TestCheck(t *testing.T) {
	checker := shim.New(globals)
	checker.Declare("1", module)
	for _, c := range []struct {
		name, script string
		want         []string // line:column code start of the message
	}{
		{name: "a right script", script: `import { tools } from "toolscript"; console.log(await tools.demo.echo({ message: "x" }));`},
		{name: "top-level await without imports", script: `await null;`},
		{name: "wrong type of an argument", script: "import { tools } from \"toolscript\";\nawait tools.demo.echo({ message: 1 });",
			want: []string{"2:25 TS2322 Type 'number' is not assignable to type 'string'."}},
		{name: "misspelt argument", script: `import { tools } from "toolscript"; await tools.demo.echo({ message: "x", tims: 1 });`,
			want: []string{"1:75 TS2561 Object literal may only specify known properties, but 'tims' does not exist in type 'EchoParams'. Did you mean to write 'times'?"}},
		{name: "misspelt tool", script: `import { tools } from "toolscript"; await tools.demo.echoo({ message: "x" });`,
			want: []string{"1:54 TS2551 Property 'echoo' does not exist on type 'DemoTools'. Did you mean 'echo'?"}},
		{name: "what the engine lacks", script: "fetch('x');\nnew Intl.Segmenter();\neval('1');\nnew Function('1');\nAtomics;\nnew SharedArrayBuffer(1);",
			want: []string{"1:1 TS2304 ", "2:10 TS2550 Property 'Segmenter' does not exist on type 'typeof Intl'.\n  Scripts have these parts of Intl: ", "3:1 TS2304 ", "4:5 TS2693 ", "5:1 TS2583 Cannot find name 'Atomics'.", "6:5 TS2583 "}},
		{name: "what the engine has beyond ES2023",
			script: `new Set([1]).union(new Set([2])); Iterator.from([1]).map((x) => x); Promise.try(() => 1); Object.groupBy([1], String); "a".at(0); [1].toSorted(); Uint8Array.fromBase64("");`},
		{name: "what is caught is any", script: `try { await null } catch (e) { e.code }`},
		{name: "what the emitter translates", script: `using x = { [Symbol.dispose]() {} }; /[a--b]/v; enum E { A } E.A; x`},
		{name: "types of functions stay", script: `const f: Function = () => {}; f();`},
		{name: "what there is of Intl", script: `new Intl.NumberFormat("de", { style: "currency", currency: "EUR", notation: "compact" }).formatToParts(1n);
new Date().toLocaleDateString("en-GB", { timeZone: "Europe/Berlin", weekday: "long", dayPeriod: "short", fractionalSecondDigits: 3 });
5n.toLocaleString(["ja"], { minimumIntegerDigits: 2 }); [1].toLocaleString("fr", { style: "percent" });
const order: (x: string, y: string) => number = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
"a".localeCompare("b", "sv", { numeric: true }); "a".toLocaleUpperCase("tr"); new Intl.PluralRules("pl", { type: "ordinal" }).select(2) === "few";
new Intl.RelativeTimeFormat("pt", { numeric: "auto" }).format(-1, "days"); new Intl.ListFormat("zh").format(new Set(["a"]));
Intl.DateTimeFormat().resolvedOptions().timeZone.length; Intl.getCanonicalLocales("en"); order("a", "b");`},
		{name: "what there is not of Intl", script: `new Intl.DateTimeFormat("en", { calendar: "japanese" });
new Date().toLocaleString("en", { timeZoneName: "shortGeneric" });
(1).toLocaleString("ar", { numberingSystem: "arab" });
5n.toLocaleString("ar", { numberingSystem: "arab" });
new Intl.DateTimeFormat().formatRange(1, 2);
Intl.supportedValuesOf("currency");
new Intl.DisplayNames("en", { type: "region" });
"a".localeCompare("b", "de", { collation: "phonebk" });
new Date().toLocaleString("en", { month: "full" });`,
			want: []string{"1:33 TS2322 ", "2:35 TS2322 ", "3:28 TS2769 ", "4:27 TS2322 ", "5:27 TS2339 ", "6:6 TS2339 ", "7:10 TS2550 ", "8:32 TS2769 ", "9:35 TS2322 "}},
		{
			name: "callbacks of untyped results",
			script: `import { tools } from "toolscript"; const r = await tools.demo.echo({ message: "x" });
r.map((i) => i.title); r.items.filter(({ a, b: [c] }, ...d) => a + c + d); r.sort(function (a, b) { return a - b });
r.on({ each: (i) => i }, [(i) => i]); const f: any = (i) => i; r.map((i) => i.map((j) => j)); f;`,
		},
		{
			name: "other functions without types",
			script: `function f(a) { return a }
const g = (b) => b; [1].reduce((sum, n) => sum + n, 0); f(g);
JSON.parse("").map((i) => { const h = (c) => c; return h(i) });
JSON.parse("").on(class { m({ d }, ...e) { return [d, e] } });`,
			want: []string{"1:12 TS7006 ", "2:12 TS7006 ", "3:40 TS7006 ", "4:31 TS7031 ", "4:36 TS7019 "},
		},
		{
			name:   "integers whose digits would change",
			script: "import { tools } from \"toolscript\";\nawait tools.demo.echo({ message: \"x\", times: 7960607143101464576 });\nconst a = [-9007199254740993, 0xffff_ffff_ffff_ffff, 1_000_000_000_000_000_001];",
			want: []string{
				"2:46 TS80008 a number cannot hold all digits of 7960607143101464576, which would become 7960607143101465000; write the bigint 7960607143101464576n",
				"3:13 TS80008 a number cannot hold all digits of 9007199254740993, which would become 9007199254740992; write",
				"3:31 TS80008 a number cannot hold all digits of 0xffff_ffff_ffff_ffff, which would become 18446744073709552000; write the bigint 0xffff_ffff_ffff_ffffn",
				"3:54 TS80008 a number cannot hold all digits of 1_000_000_000_000_000_001",
			},
		},
		{name: "integers that keep their digits", script: "[9007199254740991, 9007199254740992, 100000000000000000000, 1e400, 1e21, 0.12345678901234567890123, 7960607143101464576n, 2 ** 60];"},
		{
			name:   "comparisons with integers of results",
			script: "const id: number = 1; id === 9007199254740992;\nid === 9007199254740993n; id === 5n; switch (id) { case 9007199254740992: }\nid == 9007199254740992; BigInt(id) === 9007199254740993n; id === 1e300;",
			want: []string{
				"2:1 TS2367 This comparison appears to be unintentional because the types 'number' and 'bigint' have no overlap.\n  An integer of a result is a bigint beyond 2^53 only. Compare as in BigInt(value) === 1n.",
				"2:27 TS2367 This comparison",
				"1:30 TS80008 an integer of a result beyond 2^53 is a bigint, which is not equal to the number 9007199254740992; compare with BigInt(value) === 9007199254740992n",
				"2:57 TS80008 an integer of a result",
			},
		},
		{name: "a file of the disk", script: `import x from "/etc/passwd";`, want: []string{"1:15 TS2307 "}},
		{name: "columns count UTF-16 units", script: `const s = "𝒳日"; const n: number = s;`,
			want: []string{"1:24 TS2322 "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range check(t, checker, c.script, "1", true) {
				got = append(got, fmt.Sprintf("%d:%d %s %s", d.Line, d.Column, d.Code, d.Message))
			}
			if len(got) != len(c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], c.want[i]) {
					t.Errorf("finding %d is %q, want %q…", i, got[i], c.want[i])
				}
			}
		})
	}
}

// TestOneOff checks that only a strict check rejects code that works at run time, and that mistakes
// about tools are always rejected.
func TestOneOff(t *testing.T) {
	checker := shim.New(globals)
	checker.Declare("1", module)
	for _, c := range []struct {
		name, script string
		strict       string // code that only the strict check finds; "" for none
		both         string // code that both checks find; "" for none
	}{
		{name: "parameter without a type", script: "function f(a) { return a } f(1)", strict: "TS7006"},
		{name: "callback without a type", script: "const f = (a, { b }, ...c) => a + b + c; f(1, { b: 2 })", strict: "TS7006"},
		{name: "what find gives", script: "[{ a: 1 }].find((x) => x.a > 1).a", strict: "TS2532"},
		{name: "optional property", script: "const r: { items?: string[] } = {}; r.items[0].length", strict: "TS18048"},
		{name: "what match gives", script: `"abc".match(/b/)[0]`, strict: "TS2531"},
		{name: "what Map.get gives", script: `new Map<string, number>().get("a").toFixed()`, strict: "TS2532"},
		{name: "object that is filled", script: `const count = {}; for (const w of ["a"]) count[w] = (count[w] ?? 0) + 1`, strict: "TS7053"},
		{name: "what may be undefined as an argument", script: `import { tools } from "toolscript"; await tools.demo.echo({ message: ["a"].find(Boolean) })`, strict: "TS2322"},
		{name: "list that is filled", script: "const all = []; all.push(1); all.map((n) => n + 1)"},
		{name: "variable without a type", script: "let a; a = 1; a.toFixed()"},
		{name: "wrong type of an argument", script: `import { tools } from "toolscript"; await tools.demo.echo({ message: 1 })`, both: "TS2322"},
		{name: "missing argument", script: `import { tools } from "toolscript"; await tools.demo.echo({})`, both: "TS2741"},
		{name: "misspelt name", script: "cosnole.log(1)", both: "TS2552"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for strict, want := range map[bool]string{true: c.strict + c.both, false: c.both} {
				got := ""
				if found := check(t, checker, c.script, "1", strict); len(found) > 0 {
					got = found[0].Code
				}
				if got != want {
					t.Errorf("strict %v: found %q, want %q", strict, got, want)
				}
			}
		})
	}
}

// check checks a script, and fails the test if the declarations are unknown.
func check(tb testing.TB, c *shim.Checker, script, key string, strict bool) []shim.Diagnostic {
	tb.Helper()
	found, known := c.Check(tb.Context(), shim.Script{Text: script}, key, strict)
	if !known {
		tb.Fatalf("the declarations %q are not known", key)
	}
	return found
}

// TestEmitErrors checks that all syntax errors are reported, and no type errors.
func TestEmitErrors(t *testing.T) {
	var got []string
	_, wrong := shim.Emit("const = 1;\nlet x: number = 'a';\nfoo(;", false)
	for _, d := range wrong {
		got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Code))
	}
	if want := []string{"1:7 TS1134", "1:9 TS1134", "3:5 TS1005"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if _, found := shim.Emit("const n: number = 'x'; return n", false); len(found) > 0 {
		t.Errorf("right syntax gave %v", found)
	}
}

// TestDeclarations checks that a check uses the declarations of its key, even if the keys alternate,
// and that an unknown key is reported.
func TestDeclarations(t *testing.T) {
	checker := shim.New(globals)
	checker.Declare("none", "export {}")
	checker.Declare("demo", module)
	script := `import { tools } from "toolscript"; tools.demo;`
	for range 3 {
		if found := check(t, checker, script, "none", true); len(found) != 1 {
			t.Errorf("an empty module gave %v", found)
		}
		if found := check(t, checker, script, "demo", true); len(found) != 0 {
			t.Errorf("the module gave %v", found)
		}
	}
	if found, known := checker.Check(t.Context(), shim.Script{Text: script}, "other", true); known {
		t.Errorf("an unknown module gave %v", found)
	}
}

// TestSubject checks the subjects of diagnostics.
func TestSubject(t *testing.T) {
	checker := shim.New(globals)
	checker.Declare("demo", module)
	for script, want := range map[string]shim.Subject{
		`tools.xyz.abc()`:                       {Name: "xyz", Next: "abc", In: "Tools"},
		`tools.demo.xyz({})`:                    {Name: "xyz", In: "DemoTools"},
		`const { demo } = tools; demo.ecko({})`: {Name: "ecko", In: "DemoTools"},
		`fetch("x")`:                            {Name: "fetch"},
		`demo.echo({})`:                         {Name: "demo", Next: "echo"},
		`process.env.HOME`:                      {Name: "process", Next: "env"},
		`import { demo } from "toolscript"; demo.echo()`: {Name: "demo", In: "\"toolscript\""},
		`tools.demo.echo()`:                              {Type: "DemoTools", Member: "echo"},
		`tools.demo.echo({})`:                            {Type: "DemoTools", Member: "echo"},
		`tools.demo.echo({ file: "x" })`:                 {Type: "DemoTools", Member: "echo"},
		`tools.demo["echo"]({ message: 1 })`:             {Type: "DemoTools", Member: "echo"},
		`const e = tools.demo.echo; e({ message: 1 })`:   {Type: "DemoTools", Member: "echo"},
		`Promise.all([tools.demo.echo({ message: 1 })])`: {Type: "DemoTools", Member: "echo"},
		`tools.demo.echo({ message: (() => { const n: number = "x"; return String(n) })() })`: {},
		`const n: number = "x"`: {},
	} {
		if !strings.HasPrefix(script, "import") {
			script = `import { tools } from "toolscript"; ` + script
		}
		found := check(t, checker, script, "demo", false)
		if len(found) == 0 || found[0].Subject != want {
			t.Errorf("%s: found %+v, want %+v", script, found, want)
		}
	}
}

// TestMissingAwait checks that the message includes the compiler's advice.
func TestMissingAwait(t *testing.T) {
	checker := shim.New(globals)
	checker.Declare("demo", module)
	for _, script := range []string{`tools.demo.echo({ message: "x" }).length`, `for (const x of tools.demo.echo({ message: "x" })) x`} {
		found := check(t, checker, `import { tools } from "toolscript"; `+script, "demo", false)
		if len(found) != 1 || !strings.Contains(found[0].Message, "'await'") {
			t.Errorf("%s: found %+v", script, found)
		}
	}
}

// TestDeclarationsAreBounded checks that only the most recently used declarations are kept.
func TestDeclarationsAreBounded(t *testing.T) {
	checker := shim.New(globals)
	large := module + strings.Repeat(" ", 1<<20)
	for key := range 9 {
		checker.Declare(fmt.Sprint(key), large)
		check(t, checker, "export {}", fmt.Sprint(key), true)
	}
	if _, known := checker.Check(t.Context(), shim.Script{Text: "export {}"}, "0", true); known {
		t.Error("9 MB of declarations are all kept")
	}
	checker.Declare("huge", module+strings.Repeat(" ", 5<<20))
	check(t, checker, "export {}", "huge", true)
}

// manyTools returns the declarations of a server with n tools of a kilobyte each.
func manyTools(n int) string {
	var types, methods strings.Builder
	for i := range n {
		fmt.Fprintf(&types, "export interface P%d {\n", i)
		for j := range 16 {
			fmt.Fprintf(&types, "  /** What parameter %d of the tool is for. */\n  p%d?: string | number;\n", j, j)
		}
		fmt.Fprintf(&types, "  message: string;\n}\n")
		fmt.Fprintf(&methods, "  t%d(params: P%d): Promise<any>;\n", i, i)
	}
	return types.String() + "export interface ManyTools {\n" + methods.String() +
		"}\nexport interface Tools { many: ManyTools }\nexport declare const tools: Tools;\n"
}

// changed returns a script of 20 lines, different for each i.
func changed(i int) string {
	text := "import { tools } from \"toolscript\";\n"
	for line := range 19 {
		text += fmt.Sprintf("const v%d = await tools.many.t%d({ message: \"%d\", p1: %d }); console.log(v%d.length);\n", line, line, i, i, line)
	}
	return text
}

// BenchmarkCheck checks a changed script: with a warm Checker, and with a new one.
func BenchmarkCheck(b *testing.B) {
	for _, tools := range []int{200, 2000} {
		declarations := manyTools(tools)
		b.Run(fmt.Sprintf("%d tools, warm", tools), func(b *testing.B) {
			checker := shim.New(globals)
			checker.Declare("many", declarations)
			check(b, checker, changed(-1), "many", false)
			for i := 0; b.Loop(); i++ {
				if found := check(b, checker, changed(i), "many", false); len(found) > 0 {
					b.Fatal(found)
				}
			}
		})
		b.Run(fmt.Sprintf("%d tools, cold", tools), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				checker := shim.New(globals)
				checker.Declare("many", declarations)
				check(b, checker, changed(i), "many", false)
			}
		})
	}
}
