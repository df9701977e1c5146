package script_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// compile compiles a script without mistakes.
func compile(t *testing.T, code string) runner.Compiled {
	t.Helper()
	compiled, found := script.Compile(runner.Source{Code: code})
	if len(found) > 0 {
		t.Fatalf("Compile(%q): %+v", code, found)
	}
	return compiled
}

func TestCompileErasesTypesAndKeepsEffects(t *testing.T) {
	tests := []struct {
		name, code string
		want       []string // parts of the JavaScript
		not        []string
	}{
		{"types", "const n: number = 1;\nconsole.log(n satisfies number);", []string{"const n = 1", "console.log(n)"}, []string{"number"}},
		{"return after a namespace", "const a = 1\nnamespace N.M { export const f = () => { return a } }\nenum E { A = 1 }\nreturn N.M.f() + E.A", []string{"var N", "let E", "return N.M.f()"}, nil},
		{"enum and namespace", "enum E { A = 1 }\nnamespace N { export const x = 2 }\nconsole.log(E.A, N.x)", []string{"var E", "var N"}, nil},
		{"import of the module stays", `import { tools as t, stdin } from "toolscript"; await t.a.b(); stdin.text()`, []string{`from "toolscript"`, "await "}, nil},
		{"import of values that only types use is dropped", `import { tools } from "toolscript"; export default 1`, nil, []string{"toolscript"}},
		{"default export", "export default { a: 1 }", []string{"export default"}, nil},
		{"unused code stays", "const unused = 1; function f() {}", []string{"unused", "function f"}, nil},
		{"a pure annotation drops nothing", "/* @__PURE__ */ globalThis.f()", []string{"globalThis.f()"}, nil},
		{"unknown text stays as it is", `console.log("größe 😀")`, []string{"größe 😀"}, nil},
		{"hashbang", "#!/usr/bin/env toolscript\nconsole.log(1)", []string{"console.log(1)"}, nil},
		{"byte order mark", "\uFEFFconsole.log(1)", []string{"console.log(1)"}, nil},
		{"dynamic import of an expression is left to the engine", `const n = "x"; await import(n)`, []string{"import(n)"}, nil},
		{"a method called require", `const o = { require(x: string) {} }; o.require("fs")`, []string{`o.require("fs")`}, nil},
		{"empty", "", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := compile(t, test.code).JavaScript
			for _, piece := range test.want {
				if !strings.Contains(got, piece) {
					t.Errorf("JavaScript lacks %q:\n%s", piece, got)
				}
			}
			for _, piece := range test.not {
				if strings.Contains(got, piece) {
					t.Errorf("JavaScript has %q:\n%s", piece, got)
				}
			}
		})
	}
}

// TestStatementsBeforeAwait: the search for errors before await finds none in scripts without errors.
func TestStatementsBeforeAwait(t *testing.T) {
	for _, before := range []string{"", "f()", "f();", "let a", "const a = 1", "class A {}", "function f() {}", "type A = 1", "interface I {}", "if (a) b\nelse c", "for (;;) {}", "x: y", "1n", "0", "`t`", "/* c */", "// c", "export const e = 1", "export { f }", "import 'm'", "async"} {
		for _, next := range []string{"await (x)", "if (a) await (x)", "const b = await (x)", "for (const c of await (x)) {}", "export const d = await (x)", "import('a' + await (x))", "new (await (x))", "++(await (x)).a", "/./.test(await (x))", "`${await (x)}`", "'a' + await (x)", "return await (x)", "throw await (x)", "do await (x); while (a)", "try { await (x) } catch {}", "await using u = v", "{ await (x) }", "x: await (x)", "import e from 'm'\nawait (x)"} {
			code := before + ";\n" + next
			if strings.HasPrefix(before, "import") || !strings.HasPrefix(next, "import e") {
				if _, found := script.Compile(runner.Source{Code: code, File: "m.ts"}); slices.ContainsFunc(found, func(d toolscript.Diagnostic) bool { return strings.HasPrefix(d.Code, "TS") }) {
					t.Errorf("Compile(%q): %+v", code, found)
				}
			}
		}
	}
}

// TestDecoratedClassesAwait: methods of a class with decorators may await.
func TestDecoratedClassesAwait(t *testing.T) {
	compiled, found := script.Compile(runner.Source{Code: "@d class A { @d async m() { await 1 } @d p = async () => await 2 }"})
	if len(found) > 0 || strings.Count(compiled.JavaScript, "await ") != 2 {
		t.Errorf("Compile = %s, %+v; want both", compiled.JavaScript, found)
	}
	for _, code := range []string{"class A extends (await b) { m() { @d class B {} } }", "class A { [await n]() { return @d class {} } }"} {
		if _, found := script.Compile(runner.Source{Code: code}); len(found) > 0 {
			t.Errorf("Compile(%s): %+v; the class with decorators has no await", code, found)
		}
	}
}

func TestJavaScriptFilesAreJavaScript(t *testing.T) {
	source := runner.Source{Code: "const [a, b, c] = [1, 2, 3]; console.log(a<b>(c))", File: "job.mjs"}
	compiled, found := script.Compile(source)
	if len(found) > 0 || !strings.Contains(compiled.JavaScript, "a < b > (c)") {
		t.Errorf("Compile = %s, %+v; want two comparisons", compiled.JavaScript, found)
	}
}

func TestCompileRefuses(t *testing.T) {
	const only = `only "toolscript" and files such as "./lib.ts" can be imported`
	type place struct {
		Line, Column int
		Code         string
	}
	tests := []struct {
		name, file, code string
		want             []place
		message          string // part of the first message
	}{
		{"syntax error", "", "const a = 1;\nconst x = ;\n", []place{{2, 11, "TS1109"}}, "Expression expected."},
		{"column in UTF-16 units", "", `/* ä😀 */ const x = ;`, []place{{1, 21, "TS1109"}}, "Expression expected."},
		{"static import", "", `import fs from "node:fs"`, []place{{1, 16, "import"}}, `import of "node:fs" is not allowed: ` + only},
		{"side-effect import", "", "\n import './x.ts'", []place{{2, 9, "import"}}, `cannot import "./x.ts": it was not sent with the script`},
		{"dynamic import", "", "await import(`./x`)", []place{{1, 14, "import"}}, `cannot import "./x": the name needs its extension, such as "./x.ts"`},
		{"import with an extension in capitals", "", `import "./X.TS"`, []place{{1, 8, "import"}}, `cannot import "./X.TS": write the extension in lower case, also in the name of the file: .ts`},
		{"export from", "", `export * from "y"`, []place{{1, 15, "import"}}, only},
		{"type import", "", `import type { A } from "/etc/a.json"`, []place{{1, 24, "import"}}, only},
		{"import type", "", `type A = typeof import("/etc/a.json")`, []place{{1, 24, "import"}}, only},
		{"import of types in an arrow", "", `const f = (): import("/a").B => null`, []place{{1, 22, "import"}}, only},
		{"reference", "", `/// <reference path="/etc/a.d.ts" />`, []place{{1, 1, "import"}}, "reference comments"},
		{"require", "", `const fs = require("fs")`, []place{{1, 20, "import"}}, "require"},
		{"require of the module", "", `const { tools } = require("toolscript")`, []place{{1, 27, "import"}}, "require"},
		{"import equals", "", `import x = require("y"); console.log(x)`, []place{{1, 20, "import"}}, "require"},
		{"all of them", "", "import a from 'a'\nimport b from 'b'\nconsole.log(a, b)", []place{{1, 15, "import"}, {2, 15, "import"}}, only},
		{"behind a string that looks like a comment", "", "const s = '/*'; import('x') //*/", []place{{1, 24, "import"}}, only},
		{"behind a regular expression with quotes", "", "const r = /['\"`]/; import('x')", []place{{1, 27, "import"}}, only},
		{"inside a template", "", "console.log(`${import('x')}`)", []place{{1, 23, "import"}}, only},
		{"behind a block and a regular expression", "", "if (1) {} /'/.test('a'); import('x')", []place{{1, 33, "import"}}, only},
		{"module.exports", "", "module.exports = 1; export {}", []place{{1, 1, "syntax"}}, "CommonJS"},
		{"exports alone", "", "exports.a = 1", []place{{1, 1, "syntax"}}, "CommonJS"},
		{"export equals", "", "const a = 1;\nexport = a", []place{{2, 1, "syntax"}}, "CommonJS"},
		{"import.defer", "", "await import.defer('toolscript')", []place{{1, 7, "syntax"}}, "do not defer"},
		{"import defer", "", "import defer * as all from 'toolscript'\nall.tools", []place{{1, 8, "syntax"}}, "do not defer"},
		{"await in a decorator", "", "class A {}\n@(await d)\nclass B {}", []place{{2, 1, "syntax"}}, "class with decorators cannot contain await"},
		{"await in the name of a decorated method", "", "x = class { @d [await n]() {} }", []place{{1, 5, "syntax"}}, "class with decorators cannot contain await"},
		{"a bracket that await ends", "", "const x = (1\nawait (f())", []place{{2, 1, "TS1005"}}, "')' expected."},
		{"a text that await ends", "", "a\nconst x = 'b\nawait (f())", []place{{2, 13, "TS1002"}}, "Unterminated string literal."},
		{"a number that await ends", "", "0Bawait!0", []place{{1, 3, "TS1177"}}, "Binary digit expected."},
		{"a bracket before a statement with await", "", "f(\nconst y = await (x)", []place{{2, 1, "TS1135"}}, "Argument expression expected."},
		{"a value that a statement with await ends", "", "const y =\nif (a) await (x)", []place{{2, 1, "TS1109"}}, "Expression expected."},
		{"a bracket at the beginning, and await", "", ")\nawait (x)", []place{{1, 1, "TS1128"}}, "Declaration or statement expected."},
		{"a brace between statements, and await", "", "await (x)\n}\nf()", []place{{2, 1, "TS1128"}}, "Declaration or statement expected."},
		{"two statements on the line of await", "", "await (f())\n1 await (f())", []place{{2, 3, "TS1005"}}, "';' expected."},
		{"declared twice", "", "let a = 1;\nlet a = 2;", []place{{1, 5, "TS2451"}, {2, 5, "TS2451"}}, "Cannot redeclare"},
		{"JSX by name", "page.tsx", "", []place{{1, 1, "file"}}, "page.tsx is not a script: JSX"},
		{"JSON by name", "DATA.JSON", "{}", []place{{1, 1, "file"}}, "JSON is data"},
		{"JSX in text", "", "const a = <div>hello</div>", []place{{1, 22, "TS1161"}}, ""},
		{"not UTF-8", "", "const a = '\xff'", []place{{1, 1, "file"}}, "UTF-8"},
		{"too long", "", strings.Repeat(" ", script.MaxSource+1), []place{{1, 1, "size"}}, "1048577 bytes"},
		{"import behind a return", "", "return 1\nimport { tools } from 'toolscript'", []place{{2, 1, "syntax"}}, "before the first statement"},
		{"export and return", "", "export default 1\nreturn 2", []place{{1, 1, "syntax"}}, "return the value instead"},
		{"namespace after a return", "", "if (1) return 1\nnamespace A { export const x = 1 }\nreturn A.x", []place{{1, 8, "syntax"}}, "start of the script"},
		{"brackets that would close the wrapper", "", "return 1 })(); (async () => {", []place{{1, 10, "TS1128"}, {1, 11, "TS1128"}, {1, 13, "TS1109"}, {1, 30, "TS1005"}}, "Declaration or statement expected."},
		{"unfinished block in a script that returns", "", "return 1\nif (a) {\n", []place{{3, 1, "TS1005"}}, "'}' expected."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			compiled, found := script.Compile(runner.Source{Code: test.code, File: test.file})
			var got []place
			for _, d := range found {
				got = append(got, place{d.Line, d.Column, d.Code})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatalf("places (-want +got):\n%s%+v", diff, found)
			}
			if !strings.Contains(found[0].Message, test.message) {
				t.Errorf("message = %q, want %q in it", found[0].Message, test.message)
			}
			if compiled.JavaScript != "" {
				t.Error("there is JavaScript although there are diagnostics")
			}
		})
	}
}

// TestStrictMode checks that a script is in strict mode, as a module is.
func TestStrictMode(t *testing.T) {
	for code, want := range map[string]string{
		"with (a) {}": "'with' statements are not allowed in strict mode.",
		"delete a":    "'delete' cannot be called on an identifier in strict mode.",
	} {
		_, found := script.Compile(runner.Source{Code: code})
		if len(found) != 1 || found[0].Message != want {
			t.Errorf("%q: %+v, want %q", code, found, want)
		}
	}
}

func TestDiagnosticHasFileAndExcerpt(t *testing.T) {
	_, found := script.Compile(runner.Source{Code: "\tlet ä = ;", File: "jobs/a.ts"})
	want := []toolscript.Diagnostic{{
		File: "jobs/a.ts", Line: 1, Column: 10, Code: "TS1109", Message: "Expression expected.", Excerpt: "\tlet ä = ;\n\t        ^",
	}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// TestSourceMapsOfTheScript checks that a source map named in a script does not change positions
// and does not make the compiler read files.
func TestSourceMapsOfTheScript(t *testing.T) {
	const forged = "//# sourceMappingURL=data:application/json,{%22version%22:3,%22sources%22:[%22/etc/passwd%22],%22mappings%22:%22AAuiBA;AAuiBA%22,%22names%22:[]}"
	for name, code := range map[string]string{
		"a map":        "const a = 1\nthrow a\n" + forged,
		"an older one": "const a = 1\nthrow a\n" + strings.Replace(forged, "#", "@", 1),
		"in front":     forged + "\nthrow 1",
		"in a string":  "const a = `\n" + forged + "\n`\nthrow a",
		"in a file":    "throw 1\n//# sourceMappingURL=file:///etc/passwd",
		"with return":  "if (0) return 1\nthrow 1\n" + forged,
	} {
		t.Run(name, func(t *testing.T) {
			c := compile(t, code)
			maps, err := scripterror.ParseMap(c.SourceMap)
			if err != nil {
				t.Fatal(err)
			}
			generated := strings.Count(c.JavaScript[:strings.Index(c.JavaScript, "throw")], "\n") + 1
			_, line, _, ok := maps.Lookup(generated, 3)
			if want := strings.Count(code[:strings.Index(code, "throw")], "\n") + 1; !ok || line != want {
				t.Errorf("line %d, %v, want %d, in\n%s", line, ok, want, c.JavaScript)
			}
		})
	}
}

// TestByteOrderMark: editors may write a byte order mark, and do not count a column for it.
func TestByteOrderMark(t *testing.T) {
	c, ds := script.Compile(runner.Source{Code: "\ufeff#!/usr/bin/env toolscript\nreturn 1", File: "a.ts"})
	if len(ds) > 0 || !strings.Contains(c.JavaScript, "return 1") {
		t.Errorf("Compile = %q, %+v", c.JavaScript, ds)
	}
	_, ds = script.Compile(runner.Source{Code: "\ufeffconst a = = 1", File: "a.ts"})
	if len(ds) != 1 || ds[0].Line != 1 || ds[0].Column != 11 {
		t.Errorf("diagnostics = %+v, want one at 1:11", ds)
	}
}

func TestTopLevelReturn(t *testing.T) {
	for name, code := range map[string]string{
		"alone":                     "return 5",
		"after imports":             "import { tools } from 'toolscript' // why\nimport { args } from \"toolscript\";\nreturn tools.a.b(args)",
		"with top-level await":      "await 1; return 5 // the end",
		"after an import of from":   "import { from } from 'toolscript'; return from",
		"in a block":                "if (1 > 0) { return 5 }\nconsole.log(1)",
		"under a hashbang":          "#!/usr/bin/env toolscript\r\nreturn 5",
		"with import.meta":          "import.meta; return 5",
		"next to a nested function": "function f() { return 1 }\nreturn f()",
		"after a type import":       "import type { A } from 'toolscript'\nreturn 5 as unknown as A",
	} {
		t.Run(name, func(t *testing.T) {
			got := compile(t, code).JavaScript
			if !strings.Contains(got, "export default await (") {
				t.Errorf("the value is not the default export:\n%s", got)
			}
		})
	}
}

// TestSourceMap looks up a marker that is in both texts: the source map must connect its two positions.
func TestSourceMap(t *testing.T) {
	for name, code := range map[string]string{
		"module":                         "interface A {\n  b: string\n}\nconst ä: A = { b: '😀' }; marker();\nexport default 1",
		"return, first line":             "const ä: string = 'x'; marker(); return 1",
		"return, behind the imports":     "/* 😀 */ import { tools } from 'toolscript'; marker(tools);\nreturn 1",
		"return, line after the imports": "import { tools } from 'toolscript'\n\n  marker(tools); return 1",
		"return, hashbang":               "#!x\nmarker(); return 1",
		"return, CR LF hashbang":         "#!x\r\n  marker(); return 1",
	} {
		t.Run(name, func(t *testing.T) {
			compiled := compile(t, code)
			m, err := scripterror.ParseMap(compiled.SourceMap)
			if err != nil {
				t.Fatal(err)
			}
			line, column := find(compiled.JavaScript, "marker(")
			wantLine, wantColumn := find(code, "marker(")
			source, gotLine, gotColumn, ok := m.Lookup(line, column)
			if !ok || source != script.DefaultFile || gotLine != wantLine || gotColumn != wantColumn {
				t.Errorf("%d:%d maps to %s:%d:%d %t, want %d:%d", line, column, source, gotLine, gotColumn, ok, wantLine, wantColumn)
			}
			if text, _ := scripterror.Line(code, wantLine); !strings.HasPrefix(m.Excerpt(wantLine, 1), text) {
				t.Errorf("Excerpt = %q, want the user's line %q", m.Excerpt(wantLine, 1), text)
			}
		})
	}
}

// find returns the position of piece in text, with its column in UTF-16 units.
func find(text, piece string) (line, column int) {
	before, _, _ := strings.Cut(text, piece)
	last := before[strings.LastIndex(before, "\n")+1:]
	for _, r := range last {
		column++
		if r > 0xFFFF {
			column++
		}
	}
	return strings.Count(before, "\n") + 1, column + 1
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"return 5", "import { tools } from 'toolscript'; const { a } = tools; await a.b()", "import x = require('y')",
		"`${`${1}`}`", "if (a) /[/]'/.test(b)", "a?.5:b", "#!x\nreturn", "x!/2", "export default 1", "1..e", "'\\", "/*", "\u2028x",
	} {
		f.Add(seed, "script.ts")
	}
	f.Fuzz(func(t *testing.T, code, file string) {
		if len(code) > 300 { // the compiler needs seconds for 1,000 nested arrow functions
			return
		}
		compiled, found := script.Compile(runner.Source{Code: code, File: file})
		if len(found) > 0 {
			for _, d := range found {
				if d.Line < 1 || d.Column < 1 || d.Message == "" {
					t.Errorf("diagnostic without a place or message: %+v", d)
				}
			}
			return
		}
		if _, err := scripterror.ParseMap(compiled.SourceMap); err != nil {
			t.Errorf("source map: %v", err)
		}
		if strings.Contains(compiled.JavaScript, "__commonJS") {
			t.Errorf("compiled as CommonJS:\n%s", compiled.JavaScript)
		}
	})
}
