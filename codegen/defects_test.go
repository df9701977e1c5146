package codegen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
)

// diagnostics returns the output of tsc for a script that uses a catalog's tools.
func diagnostics(t *testing.T, c toolscript.Catalog, script string) string {
	t.Helper()
	return strings.Join(typecheck(t, map[string]string{
		"toolscript.d.ts": module(c, codegen.Options{Form: codegen.Declarations}).Text,
		"main.ts":         "import { tools } from \"toolscript\";\n" + script,
	}), "\n")
}

// TestBothToolsCallable covers colliding names, names with letters of other
// scripts, and names with a meaning in JavaScript.
func TestBothToolsCallable(t *testing.T) {
	var tools []toolscript.Tool
	for _, name := range []string{"a-b", "a_b", "aB", "日本", "export", "__proto__", "constructor", "then", "createIssue"} {
		tools = append(tools, toolscript.Tool{Server: "my-server", Name: name, InputSchema: json.RawMessage(`{"type": "object"}`)})
	}
	c := catalog(tools...)
	n := naming.New(c)
	var script strings.Builder
	for _, s := range n.Servers {
		for _, tool := range s.Tools {
			script.WriteString("await tools." + s.Ident + `["` + tool.Ident + "\"]({ a: 1 });\n")
		}
	}
	script.WriteString("await tools.myServer.aB(); await tools.myServer.export(); await tools.myServer.createIssue();\n" +
		"const notAwaitable: { aB: unknown } = await tools.myServer;\n")
	parse(t, "full.ts", module(c, codegen.Options{}).Text)
	if got := diagnostics(t, c, script.String()); got != "" {
		t.Error(got)
	}
}

// TestTitlesNameNothing checks that schemas with titles type-check, and that a
// wrong type is reported.
func TestTitlesNameNothing(t *testing.T) {
	c := catalog(toolscript.Tool{Server: "fs", Name: "read_file", InputSchema: json.RawMessage(
		`{"title": "ReadFileArgs", "type": "object", "properties": {"path": {"title": "Path", "type": "string"}}, "required": ["path"]}`)})
	if got := diagnostics(t, c, `await tools.fs.readFile({ path: "x" });`); got != "" {
		t.Error(got)
	}
	got := diagnostics(t, c, `await tools.fs.readFile({ path: 12345 });`)
	if want := "main.ts(2,27): error TS2322: "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMisspeltArgument checks that TS2353 names the type, and that TypeScript
// suggests the correct spelling of properties, tools and servers.
func TestMisspeltArgument(t *testing.T) {
	c := catalog(toolscript.Tool{Server: "files", Name: "read_file", InputSchema: json.RawMessage(
		`{"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "number"}}, "required": ["path"]}`)})
	tests := []struct{ name, script, want string }{ // the code, and a name in the message
		{"property", `await tools.files.readFile({ path: "a", limt: 3 });`, "TS2561 'limit'"},
		{"unlike property", `await tools.files.readFile({ path: "a", zzz: 3 });`, "TS2353 'FilesReadFileParams'"},
		{"missing", `await tools.files.readFile({ limit: 3 });`, "TS2741 'FilesReadFileParams'"},
		{"tool", `await tools.files.readFil({ path: "a" });`, "TS2551 'readFile'"},
		{"server", `await tools.file.readFile({ path: "a" });`, "TS2551 'files'"},
	}
	for _, tt := range tests {
		code, name, _ := strings.Cut(tt.want, " ")
		if got := diagnostics(t, c, tt.script); !strings.Contains(got, code+": ") || !strings.Contains(got, name) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestServerNameWithSeparator checks that ids are looked up whole: a server
// called a__b can be filtered, and filters change no identifier.
func TestServerNameWithSeparator(t *testing.T) {
	c := catalog(
		toolscript.Tool{Server: "a", Name: "x"}, toolscript.Tool{Server: "a__b", Name: "c"},
		toolscript.Tool{Server: "a__b", Name: "d"}, toolscript.Tool{Server: "a-b", Name: "c"},
	)
	n := naming.New(c)
	i, _, _ := n.Tool(toolscript.Tool{Server: "a__b", Name: "c"})
	server := n.Servers[i]
	tests := []struct {
		filter       string
		want, absent []string
	}{
		{"a__b", []string{server.Ident + ":", `"a__b__c"`, `"a__b__d"`}, []string{`"a__x"`, `"a-b__c"`}},
		{"a__b__c", []string{server.Ident + ":", `"a__b__c"`}, []string{`"a__b__d"`}},
		{" a , a__b__d ", []string{`"a__x"`, `"a__b__d"`}, []string{`"a__b__c"`}},
		{"b, a__y", []string{"// No tools available", "export const tools = {};"}, []string{"__x"}},
	}
	for _, tt := range tests {
		text := codegen.Module(c.Filter(toolscript.ParseFilter(tt.filter)), n, codegen.Options{}).Text
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("filter %q: no %s in\n%s", tt.filter, want, text)
			}
		}
		mustNotContain(t, tt.filter, text, tt.absent...)
	}
}

// TestGEN14UntypedResultsAreAny: most tools have no output schema, and scripts can
// still use their results.
func TestGEN14UntypedResultsAreAny(t *testing.T) {
	c := catalog(
		toolscript.Tool{Server: "s", Name: "untyped", InputSchema: json.RawMessage(`{"type": "object"}`)},
		toolscript.Tool{
			Server: "s", Name: "typed", InputSchema: json.RawMessage(`{"type": "object"}`),
			OutputSchema: json.RawMessage(`{"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}`),
		},
	)
	script := `
const issues = await tools.s.untyped();
console.log(issues.length, issues[0].title);
const { n } = await tools.s.typed({});
await tools.s.untyped(await tools.s.typed()); // a result is an argument of another tool
const text: string = n;
declare const console: { log(...a: unknown[]): void };`
	if got := diagnostics(t, c, script); !strings.HasPrefix(got, "main.ts(7,7): error TS2322") || strings.Count(got, "error") != 1 {
		t.Errorf("got %q, want only the error of line 7", got)
	}
}

// TestDeclarationsOfTheRest checks the exports of "toolscript" except tools.
func TestDeclarationsOfTheRest(t *testing.T) {
	script := `
import { stdin, args, cwd, env, exit, ToolError } from "toolscript";
const all: string = await stdin.text() + (await stdin.json()).x + args[0] + cwd() + (env.get("X") ?? "");
for await (const line of stdin.lines()) all === line;
try { (tools as any).x(); } catch (e) {
  if (e instanceof ToolError) { const s: string = e.server + e.tool + e.code + e.message; s === e.content[0].text; }
}
const n: never = exit(1);
n;`
	if got := diagnostics(t, toolscript.Catalog{}, script); got != "" {
		t.Error(got)
	}
}

// TestEmptyCatalog checks that each form is a module without tools.
func TestEmptyCatalog(t *testing.T) {
	files := map[string]string{}
	for name, form := range forms {
		text := module(toolscript.Catalog{}, codegen.Options{Form: form}).Text
		parse(t, name, text)
		files[name] = text
		if !strings.Contains(text, "// No tools available\n") {
			t.Errorf("%s does not say that there are no tools:\n%s", name, text)
		}
		if form != codegen.Declarations && text != "// No tools available\nexport const tools = {};\n" {
			t.Errorf("%s is\n%s", name, text)
		}
	}
	mustTypecheck(t, files)
}
