package script

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// graph finds the modules that a script imports.
type graph struct {
	main  unit
	given map[string]toolscript.ScriptModule // by path
	found map[string]bool
	open  []unit // modules that were found and are not compiled yet
}

func newGraph(src runner.Source) *graph {
	g := &graph{main: newUnit(src), given: map[string]toolscript.ScriptModule{}, found: map[string]bool{}}
	for _, m := range src.Modules {
		g.given[m.Path] = m
	}
	return g
}

// compile compiles the script and its modules.
func (g *graph) compile() (runner.Compiled, []toolscript.Diagnostic) {
	all, found := g.translate(g.main)
	for len(g.open) > 0 {
		u := g.open[0]
		g.open = g.open[1:]
		c, wrong := g.translate(u)
		found = append(found, wrong...)
		all.Modules = append(all.Modules, runner.CompiledModule{Path: u.file, JavaScript: c.JavaScript, SourceMap: c.SourceMap})
		all.Uses = all.Uses.Plus(c.Uses)
		all.Tools = append(all.Tools, c.Tools...)
	}
	if len(found) > 0 {
		return runner.Compiled{}, found[:min(len(found), maxDiagnostics)]
	}
	if len(all.Modules) > 0 {
		slices.Sort(all.Tools)
		all.Tools = slices.Compact(all.Tools)
	}
	return all, nil
}

// translate compiles one file. It finds the modules that the file imports, even if the file has
// mistakes.
func (g *graph) translate(u unit) (runner.Compiled, []toolscript.Diagnostic) {
	if found := u.refuse(); found != nil {
		return runner.Compiled{}, []toolscript.Diagnostic{*found}
	}
	syntax := u.parse()
	compiled, found := u.build(syntax)
	if len(found) > 0 || len(syntax.Entities) > 0 {
		if d := u.explain(syntax); d != nil {
			return runner.Compiled{}, []toolscript.Diagnostic{*d}
		}
	}
	if u.dialect == toolscript.DialectHarness {
		found = append(found, u.banned(syntax)...)
	} else {
		found = append(found, g.imports(u, syntax)...)
	}
	if len(found) > 0 {
		return runner.Compiled{}, sortDiagnostics(found)
	}
	return compiled, nil
}

// local reports whether the name of a module is a relative path to a file.
func local(name string) bool { return strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") }

// follow adds the module that u imports to g, or returns the reason why it cannot be imported.
func (g *graph) follow(u unit, i shim.Import) (problem string) {
	folder := "."
	if u.module {
		folder = path.Dir(u.file)
	}
	at := path.Join(folder, i.Module)
	m, sent := g.given[at]
	switch extension := strings.ToLower(path.Ext(at)); {
	case at == ".." || strings.HasPrefix(at, "../"):
		return "it is outside of the folder of the script"
	case at == path.Base(g.main.file):
		return "it is the script itself; move what both need to a third file"
	case strings.HasSuffix(at, ".d.ts"):
		return "it declares types and has no code; write them in a .ts file"
	case extension == ".json":
		return "JSON is data; pass it on standard input, or write it as a module: export default {…}"
	case refused[extension] != "":
		return refused[extension]
	case extension != path.Ext(at) && toolscript.IsModule(extension):
		return "write the extension in lower case, also in the name of the file: " + extension
	case !toolscript.IsModule(at):
		return fmt.Sprintf("the name needs its extension, such as %q", i.Module+".ts")
	case i.With:
		return "imports of files have no attributes"
	case !sent:
		return "it was not sent with the script: exec and check send the files that a script FILE.ts imports, at most " +
			fmt.Sprint(toolscript.MostModules) + "; code without a file and saved scripts have none"
	case m.Problem != "":
		return m.Problem
	}
	if !g.found[at] {
		g.found[at] = true
		module := newUnit(runner.Source{Code: m.Code, File: at})
		module.module = true
		g.open = append(g.open, module)
	}
	return ""
}

// modules returns the modules for the type checker, by their paths.
func (g *graph) modules() map[string]unit {
	all := map[string]unit{}
	for p, m := range g.given {
		u := newUnit(runner.Source{Code: m.Code, File: p})
		u.module = true
		if m.Problem == "" && u.refuse() == nil {
			all[p] = u
		}
	}
	return all
}
