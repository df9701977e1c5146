package script_test

import (
	"strings"
	"testing"
)

// TestFunctionsAreCalled: a script that is one function without required parameters, and no generator, is called.
func TestFunctionsAreCalled(t *testing.T) {
	for _, test := range []struct {
		code    string
		calls   bool
		notices string // part of the only notice; "" if there is none
	}{
		{"async () => { return 1 }", true, "one function, which was called"},
		{"(async () => 1);", true, "which was called"},
		{"// a comment\nasync function run() { return await tools.a.b() }\n// the end", true, "which was called"},
		{"const main = async () => { return 1 }; // the end", true, "which was called"},
		{"let f = function () { return 1 }", true, "which was called"},
		{"export default async function () { return 1 }", true, "which was called"},
		{"export default async () => 1", true, "which was called"},
		{"export async function run() { return 1 }", true, "which was called"},
		{"export const run = async () => 1;", true, "which was called"},
		{"\"use strict\";\n'use client'\nasync function run({ limit = 5 } = {}) { return limit }", true, "which was called"},
		{"import { args } from \"toolscript\"\ninterface A { a: 1 }\nfunction f(a?: A, ...b: string[]) { return args }", true, "which was called"},

		{"async ({ tools }) => { return 1 }", false, "a function with parameters"[2:]},
		{"export default async (p: { a: string }) => p.a", false, ""},
		{"function* run() { yield 1 }", false, "the script is one generator function, which nothing calls"},
		{"export function* run() { yield 1 }", false, "one generator function"},
		{"export async function run({ limit }: { limit: number }) { return limit }", false, "function with parameters, which nothing calls"},
		{"const n = 1;\nasync () => { return n }", false, "nothing calls the function at script.ts:2"},
		{"const n = 1;\n(function () { return n })", false, "nothing calls the function at script.ts:2"},
		{"const a = 1, b = () => 1", false, ""},
		{"(async () => { await tools.a.b() })()", false, ""},
		{"async function main() { return 1 }\nreturn await main()", false, ""},
		{"const rows = [1];\nasync function main() { return rows }", false, "nothing calls the function main: add return await main() at the end"},
		{"const rows = [1];\nconst run = async () => rows;", false, "nothing calls the function run"},
		{"const rows = [1];\nconst run = async () => rows;\nsetTimeout(run, 1)", false, ""},
		{"const main = { run() { return 1 } };\nconsole.log(main.run())", false, ""},
		{"function outer() { const main = () => 1; }\nouter()", false, ""},

		{"const a = [1];\na", false, "the value of the last expression, at script.ts:2, is not returned"},
		{"const a = [1];\n(a.length + 1)", false, "at script.ts:2, is not returned"},
		{"const a = 1;\n({ a })", false, "is not returned"},
		{"let a = 1;\na = 2", false, ""},
		{"let a = 1;\na++", false, ""},
		{"const a = 1;\nexport default a", false, ""},
		{"const a = 1;\nexport { a };\na", false, ""},
		{"if (args.length) return 1;\nargs", false, ""},
		{"'use strict'", false, ""},
		{"const a: number[] = [];\na.push(1)", false, ""},
		{"console.log(1)", false, ""},
	} {
		got := compile(t, test.code)
		if got.Calls != test.calls {
			t.Errorf("%q: calls %v, want %v", test.code, got.Calls, test.calls)
		}
		if all := strings.Join(got.Notices, "\n"); test.notices == "" && all != "" || !strings.Contains(all, test.notices) || len(got.Notices) > 1 {
			t.Errorf("%q: notices %q, want %q", test.code, all, test.notices)
		}
	}
}

// TestUnreturnedCalls checks which scripts end with a call whose value may be what they are written for.
func TestUnreturnedCalls(t *testing.T) {
	for code, want := range map[string]bool{
		"await tools.a.b()":                                true,
		"const t = 1;\nawait tools.a.b({ t }).c":           true,
		"const x = [1];\nx.map((n) => n + 1)":              true,
		"await Promise.all([tools.a.b()])":                 true,
		"JSON.stringify(args)":                             true,
		"import { tools as t } from 'toolscript'; t.a.b()": true,

		"async function main(){return 16}\nmain()":                                true,
		"async function main(){return 16}\nawait main()":                          true,
		"async function main(){return true}\nmain().catch(console.error)":         true,
		"const f = async () => 1;\nf().then((r) => r).finally(() => { exit(0) })": true,
		"const f = () => 1, g = async () => { if (f()) return f() };\nawait g()":  true,
		"(async()=>{ const n = 15; return n })()":                                 true,
		"await (async function () { return args })()":                             true,
		"(async()=>{ return await tools.a.b() })().catch((e) => console.log(e))":  true,
		"const a = [1];\na.length && a.map((n) => n)":                             true,

		"async function main(){console.log(16)}\nmain()":                          false,
		"async function main(){ if (args) return; exit(2) }\nmain().catch(exit)":  false,
		"async function f() { return 1 }\nf().then((n) => { store.set('n', n) })": false,
		"async function f() { return 1 }\nf().then(console.log, console.error)":   false,
		"(async()=>{ await tools.a.b(); [1].map((n) => { return n }) })()":        false,
		"(() => console.log(1))()":                  false,
		"const f = (): unknown => f();\nf()":        false,
		"args.length && console.log(1)":             false,
		"async function f() { return 1 }\nvoid f()": false,
		"const x = new Map();\nx.set(1, 2)":         false,
		"console.log(await tools.a.b())":            false,
		"async function f() {}\nlet n = 0;\nf()":    false,
		"exit(1)":                                   false,
		"store.set('a', 1)":                         false,
	} {
		if got := compile(t, code); (got.Unreturned != "") != want || len(got.Notices) > 0 {
			t.Errorf("%q: unreturned %q and notices %q, want %v", code, got.Unreturned, got.Notices, want)
		}
	}
}
