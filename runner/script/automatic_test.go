package script_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// TestAutomaticImports checks that the import lists exactly the exports that the script uses and
// does not declare.
func TestAutomaticImports(t *testing.T) {
	servers := func(names ...string) runner.Uses { return runner.Uses{Servers: names} }
	tests := []struct {
		name, file, code string
		imports          string // names between the braces; "" for no import
		uses             runner.Uses
	}{
		{name: "tools", code: "await tools.a.b()", imports: "tools", uses: servers("a")},
		{name: "with a return", code: "return await tools.a.b()", imports: "tools", uses: servers("a")},
		{name: "a return without await", code: "return args.length", imports: "args", uses: servers()},
		{name: "all of them", code: "ToolError; exit; cwd; env; args; stdin; store; tools.x", imports: "tools, store, stdin, args, env, cwd, exit, ToolError", uses: servers("x")},
		{name: "with an import of other names", code: "import { stdin } from \"toolscript\"\nreturn tools.a.b(await stdin.text())", imports: "tools", uses: servers("a")},
		{name: "with an import by another name", code: "import { tools as t } from \"toolscript\"; t.a.b(); tools.c.d()", imports: "tools", uses: servers("a", "c")},
		{name: "JavaScript", file: "a.mjs", code: "await tools.a.b()", imports: "tools", uses: servers("a")},
		{name: "in a function with a variable of that name elsewhere", code: "function f() { const tools = 1; return tools }\nfunction g() { return tools.a.b() }\nf(); g()",
			imports: "tools", uses: servers("a")},
		{name: "shorthand", code: "console.log({ tools })", imports: "tools", uses: runner.Uses{All: true}},
		{name: "declared as a type alone", code: "interface tools { a: 1 }\nexport default await tools.a.b()", imports: "tools", uses: servers("a")},
		{name: "typeof in a type", code: "type A = typeof tools.a.b; export type { A }", uses: servers("a")},

		{name: "import", code: "import { tools } from \"toolscript\"; tools.a.b()", uses: servers("a")},
		{name: "import by that name", code: "import { args as tools } from \"toolscript\"; tools.map(String)", uses: servers()},
		{name: "default import", code: "import tools from \"toolscript\"; tools.a.b()", uses: runner.Uses{All: true}},
		{name: "const", code: "const tools = { a: 1 }; console.log(tools.a)", uses: servers()},
		{name: "const behind its use", code: "f(); function f() { return args }\nconst args = 1", uses: servers()},
		{name: "var in a block", code: "if (1) { var env = 1 }\nconsole.log(env)", uses: servers()},
		{name: "var in a block of a script that returns", code: "if (1) { var env = 1 }\nreturn env", uses: servers()},
		{name: "destructured", code: "const { args, b: [env] } = { args: 1, b: [2] }; console.log(args, env)", uses: servers()},
		{name: "function", code: "function exit() {}\nexit()", uses: servers()},
		{name: "class", code: "class ToolError extends Error {}\nthrow new ToolError()", uses: servers()},
		{name: "enum", code: "enum env { A }\nconsole.log(env.A)", uses: servers()},
		{name: "namespace", code: "namespace env { export const a = 1 }\nconsole.log(env.a)", uses: servers()},
		{name: "parameter", code: "const f = (args: string[], { env }: any) => args.length + env; f([], {})", uses: servers()},
		{name: "caught", code: "try {} catch (exit) { console.log(exit) }", uses: servers()},
		{name: "property", code: "const o: any = { tools: 1, args() {} }; console.log(o.tools, o?.args, o.env)", uses: servers()},
		{name: "type", code: "type env = string; const e: env = \"\"; console.log(e)", uses: servers()},
		{name: "in strings and comments", code: "console.log(\"tools.a\", `args`) // env", uses: servers()},
		{name: "exported", code: "export { args }", imports: "args", uses: servers()},
		{name: "declare", code: "declare const args: string[]; console.log(args)", imports: "args", uses: servers()},
		{name: "in an enum", code: "enum E { env = 1, b = env }\nconsole.log(E.b)", uses: servers()},
		{name: "in a static block", code: "class A { static { var env = 1; console.log(env) } }\nconsole.log(env)", imports: "env", uses: servers()},
		{name: "label", code: "exit: for (;;) break exit", uses: servers()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, found := script.Compile(runner.Source{Code: test.code, File: test.file})
			if len(found) > 0 {
				t.Fatal(found)
			}
			want := ""
			if test.imports != "" {
				want = "import { " + test.imports + " } from \"toolscript\";\n"
			}
			var imports strings.Builder
			for line := range strings.Lines(got.JavaScript) {
				if strings.HasPrefix(line, "import ") && !strings.Contains(test.code, strings.TrimSuffix(line, ";\n")) {
					imports.WriteString(line)
				}
			}
			if imports.String() != want {
				t.Errorf("imports %q, want %q:\n%s", imports.String(), want, got.JavaScript)
			}
			if diff := cmp.Diff(test.uses, got.Uses); diff != "" {
				t.Errorf("uses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAutomaticImportsMoveNothing checks that positions in the JavaScript still map to their
// positions in the source.
func TestAutomaticImportsMoveNothing(t *testing.T) {
	for _, code := range []string{
		"const a = 1; /* 😀 */ mark(tools, a)",
		"#!/usr/bin/env toolscript\n// @ts-nocheck\n  const a = tools; mark(a)\n  mark2(args)",
		"/* a */ return mark(tools, args)",
		"import { stdin } from \"toolscript\"\nconst a = 1; mark(stdin, tools)\nreturn mark2(a)",
		"import { stdin } from \"toolscript\"; const a = mark(stdin, tools)\nexport default a",
		"const a = await tools.a.b();\n\n\tif (a) return mark(a)",
	} {
		compiled := compile(t, code)
		maps, err := scripterror.ParseMap(compiled.SourceMap)
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range []string{"mark(", "mark2("} {
			line, column := placeOf(compiled.JavaScript, mark)
			wantLine, wantColumn := placeOf(code, mark)
			if line == 0 {
				continue
			}
			if _, l, c, ok := maps.Lookup(line, column); !ok || l != wantLine || c != wantColumn {
				t.Errorf("%q: %s leads to %d:%d, %v; want %d:%d", code, mark, l, c, ok, wantLine, wantColumn)
			}
		}
	}
}

// placeOf returns the first position of piece in text, counted as in source maps, or 0 if text does
// not contain piece.
func placeOf(text, piece string) (line, column int) {
	before, _, found := strings.Cut(text, piece)
	if !found {
		return 0, 0
	}
	last := before[strings.LastIndexByte(before, '\n')+1:]
	for _, r := range last {
		column++
		if r > 0xffff {
			column++
		}
	}
	return strings.Count(before, "\n") + 1, column + 1
}

// TestAutomaticImportsKeepPlacesOfErrors checks the positions in diagnostics of the compiler, whose
// input contains the import.
func TestAutomaticImportsKeepPlacesOfErrors(t *testing.T) {
	_, found := script.Compile(runner.Source{Code: "await 0; exports.a = tools"})
	if len(found) != 1 || found[0].Line != 1 || found[0].Column != 10 {
		t.Errorf("found %+v, want one finding at 1:10", found)
	}
}
