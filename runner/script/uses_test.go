package script_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/runner"
)

func TestUses(t *testing.T) {
	const imported = "import { tools } from 'toolscript';\n"
	all := runner.Uses{All: true}
	servers := func(names ...string) runner.Uses { return runner.Uses{Servers: names} }
	tests := []struct {
		name, code string
		want       runner.Uses
	}{
		{"no import", "console.log(1)", servers()},
		{"the word without an import", "const tools = { a: 1 }; tools.a", servers()},
		{"member", imported + "tools.github.x(); tools.slack.y()", servers("github", "slack")},
		{"optional, asserted, quoted", imported + "tools?.a; tools!.b; tools['c']; tools?.[`d`]", servers("a", "b", "c", "d")},
		{"across lines and comments", imported + "tools // .x\n  /* tools.y */ .z.w()", servers("z")},
		{"another local name", "import { tools as t, stdin } from 'toolscript'; t.a; const tools = 1; tools.b", servers("a")},
		{"destructuring", imported + "const { a, b: c, } = tools\nawait a.x(c)", servers("a", "b")},
		{"destructuring of a server", imported + "const { a } = tools.x; a()", servers("x")},
		{"destructuring in a block", imported + "{ const { a } = tools }", servers("a")},
		{"in a type", imported + "type A = typeof tools.a; export type { A }", servers("a")},
		{"in a template", imported + "console.log(`tools.x ${tools.a.b} tools.y`)", servers("a")},
		{"in strings, comments and regular expressions", imported + `const x = "tools.a"; /* tools.b */ x.match(/tools.c/); if (x) /tools.d/.test(x)`, servers()},
		{"property of the same name", imported + "const x = { y: 1 } as any; x.tools.z; tools.a", servers("a")},
		{"shadowed", imported + "{ const tools = { b: 1 }; tools.b } tools.a", servers("a")},
		{"a task", imported + "tools.spawn.a.x({}); tools['spawn']?.b; tools.spawn[`c`]", servers("a", "b", "c")},
		{"destructuring of the starting of tasks", imported + "const { a, b: c } = tools.spawn\nawait a.x(c)", servers("a", "b")},
		{"calls with options", imported + "tools.$with({ idempotencyKey: 'k' }).a.x({}); tools?.$with?.(o)?.['b']; (tools.$with)(o).c", servers("a", "b", "c")},
		{"destructuring of calls with options", imported + "const { a, b: c } = tools.$with({ idempotencyKey: 'k' })\nawait a.x(c)", servers("a", "b")},
		{"in the options of calls", imported + "tools.$with({ idempotencyKey: await tools.b.y() }).a.x({})", servers("a", "b")},
		{"in parentheses", imported + "(tools).a; (tools!).b; (tools.spawn).c", servers("a", "b", "c")},
		{"an alias", imported + "import x = tools.a; x.b()", servers("a")},
		{"in the initial value of a parameter", imported + "const f = (x = tools.a) => x; f()", servers("a")},
		{"shadowed by a parameter", imported + "const f = (tools: any) => tools.x; f(tools.a)", servers("a")},
		{"shadowed by var in a block", imported + "function f() { if (1) { var tools: any = {} }; return tools.x }; tools.a", servers("a")},
		{"shadowed by the name of a function", imported + "const f = function tools() { tools.x }; tools.a", servers("a")},
		{"next to a class of that name", imported + "{ class tools { static x = 1 }; tools.x }; tools.a", servers("a")},
		{"a long chain", imported + "let s = ''" + strings.Repeat(" + tools.a.b.c", 30_000), servers("a")},
		{"what $search finds", imported + "tools.$search({ query: 'x' })", all},
		{"exported as default", imported + "export default tools", all},
		{"a division is no regular expression", imported + "const a = 1; a / tools.b.c / 2", servers("b")},

		{"passed", imported + "f(tools); function f(x: unknown) {}", all},
		{"assigned", imported + "const t = tools; t.a", all},
		{"the starting of tasks passed", imported + "f(tools.spawn); function f(x: unknown) {}", all},
		{"the starting of tasks assigned", imported + "const s = tools.spawn; s.a.x({})", all},
		{"the starting of tasks destructured", imported + "const { spawn } = tools; spawn.a.x({})", all},
		{"the starting of tasks indexed", imported + "const k = 'a'; tools.spawn[k]", all},
		{"calls with options assigned", imported + "const t = tools.$with({ idempotencyKey: 'k' }); t.a.x({})", all},
		{"calls with options passed", imported + "f(tools.$with); function f(x: unknown) {}", all},
		{"calls with options destructured", imported + "const { $with } = tools; $with({ idempotencyKey: 'k' }).a.x({})", all},
		{"calls with options indexed", imported + "const k = 'a'; tools.$with(o)[k]", all},
		{"spread", imported + "const t = { ...tools }", all},
		{"shorthand", imported + "const t = { tools }", all},
		{"exported", imported + "export { tools }", all},
		{"indexed", imported + "const k = 'a'; tools[k]", all},
		{"indexed with escapes", imported + `tools["\x61"]`, servers("a")},
		{"a longer expression in brackets", imported + "tools['a' + 'b']", all},
		{"listed", imported + "Object.keys(tools)", all},
		{"typeof", imported + "typeof tools", all},
		{"rest", imported + "const { a, ...rest } = tools", all},
		{"computed key", imported + "const { ['a']: b } = tools", all},
		{"default value", imported + "const { a = tools.b } = tools", servers("a", "b")},
		{"destructured in parameters", imported + "(({ a } = tools) => a)()", all},
		{"destructured behind an operator", imported + "const { a } = tools || {}", all},
		{"namespace import", "import * as ts from 'toolscript'; ts.tools.a", all},
		{"default import", "import tools from 'toolscript'; tools.a", all},
		{"type import", "import type { GithubParams } from 'toolscript'; export type A = GithubParams", all},
		{"named type", "import { tools, type GithubParams } from 'toolscript'; export type A = GithubParams; tools.a", all},
		{"dynamic import", "const { tools } = await import('toolscript'); tools.a", all},
		{"re-export", "export { tools } from 'toolscript'", all},
		{"identifier with escapes", imported + `t\u006fols[k]; const k = 1`, all},
		{"a slash behind a brace", imported + "const x = {} / 2 / 1; tools.a", servers("a")},
		{"a slash behind a word that may be a name", imported + "const of = 1; const x = of / 2; tools.a", servers("a")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := compile(t, test.code).Uses
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("uses of %q (-want +got):\n%s", test.code, diff)
			}
		})
	}
}
