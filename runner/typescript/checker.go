// Package shim type-checks one script against the declarations of its tools, with the TypeScript
// compiler linked into this program. Its import path is below github.com/microsoft/typescript-go
// because Go allows only such paths to import the internal packages of that module. No code of that
// module is copied or patched. Only its declarations of the ECMAScript library are (libraries.go).
package shim

import (
	"context"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/collections"
	"github.com/microsoft/typescript-go/internal/compiler"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/tsoptions"
	"github.com/microsoft/typescript-go/internal/tspath"
)

// Names of the files of a check. They only exist in memory. No module of a script has the
// name of mainFile.
const (
	root        = "/w"
	folder      = root + "/script/"
	mainFile    = folder + "(main).ts"
	globalsFile = root + "/globals.d.ts"
	moduleFile  = root + "/toolscript.d.ts"
)

// Version is the version of the compiler.
var Version = core.Version()

// Checker checks scripts. It keeps the parsed libraries and declarations between checks. It
// is not safe for concurrent use.
type Checker struct {
	files   *files
	modules *modules
}

// New returns a Checker. Its scripts only have the ECMAScript library and the given global
// declarations.
func New(globals string) *Checker {
	c := &Checker{files: newFiles(), modules: &modules{}}
	c.files.write(libraryFolder+"/"+libraryFile, library+intl)
	c.files.write(libraryFolder+"/"+iteratorFile, iterators)
	c.files.write(globalsFile, globals)
	return c
}

// Declare stores the declarations of the module "toolscript" under a key. If the
// declarations become too large, the least recently used ones are dropped.
func (c *Checker) Declare(key, declarations string) { c.modules.put(key, declarations) }

// Script is a text with the modules that it can import. A path such as lib.ts stands for
// "./lib.ts".
type Script struct {
	Text    string
	Modules map[string]string
}

// Check returns all diagnostics of a script and of the modules that it imports, in the order of
// each text: the syntax errors or, if there are none, the type errors. Modules in JavaScript have
// no diagnostics. The script imports the module that was declared under key. If there is no such
// module, known is false and nothing was checked. A hostile script keeps the compiler busy for
// minutes, and ctx does not stop it: only call Check in a process that can be killed.
func (c *Checker) Check(ctx context.Context, script Script, key string, strict bool) (found []Diagnostic, known bool) {
	m := c.modules.get(key)
	if m == nil {
		return nil, false
	}
	defer c.enter(script, m)()
	return c.check(ctx, strict), true
}

// enter adds a script and its declarations to the files. leave removes the modules of the
// script.
func (c *Checker) enter(script Script, m *module) (leave func()) {
	c.files.place(moduleFile, m)
	c.files.write(mainFile, script.Text)
	for path, text := range script.Modules {
		c.files.write(folder+path, text)
	}
	return func() {
		m.parsed = c.files.parsed[moduleFile]
		for path := range script.Modules {
			c.files.remove(folder + path)
		}
	}
}

func (c *Checker) check(ctx context.Context, strict bool) []Diagnostic {
	program := c.program(strict)
	found := program.GetProgramDiagnostics()
	var files []*ast.SourceFile
	for _, file := range program.SourceFiles() {
		if strings.HasPrefix(file.FileName(), folder) && !ast.IsSourceFileJS(file) {
			files = append(files, file)
			found = append(found, program.GetSyntacticDiagnostics(ctx, file)...)
		}
	}
	if len(found) > 0 {
		return report(compiler.SortAndDeduplicateDiagnostics(found), nil)
	}
	var inexact []Diagnostic
	for _, file := range files {
		found = append(found, withoutUntyped(ctx, program, file, program.GetSemanticDiagnostics(ctx, file))...)
		inexact = append(inexact, inexactIntegers(file)...)
	}
	all := report(compiler.SortAndDeduplicateDiagnostics(found), func(d *ast.Diagnostic) Subject {
		types, done := program.GetTypeCheckerForFile(ctx, d.File())
		defer done()
		return subject(types, d.File(), d)
	})
	return append(all, inexact...)
}

func (c *Checker) program(strict bool) *compiler.Program {
	return compiler.NewProgram(compiler.ProgramOptions{
		Host:           host{c.files},
		SingleThreaded: core.TSTrue,
		Config: tsoptions.NewParsedCommandLine(options(strict), []string{mainFile, globalsFile}, tspath.ComparePathsOptions{
			UseCaseSensitiveFileNames: true, CurrentDirectory: root,
		}),
	})
}

// options returns the options for checking an ES module. Forced module detection allows
// top-level await in a script without imports. Caught values have type any: most of them are
// a ToolError, and scripts use e.code. If the check is not strict, parameters need no type
// and values may be undefined; see docs/design/types.md.
func options(strict bool) *core.CompilerOptions {
	one := 1
	paths := collections.NewOrderedMapWithSizeHint[string, []string](1)
	paths.Set("toolscript", []string{moduleFile})
	o := &core.CompilerOptions{
		Target: core.ScriptTargetESNext, Module: core.ModuleKindESNext,
		ModuleResolution: core.ModuleResolutionKindBundler, ModuleDetection: core.ModuleDetectionKindForce,
		Strict: core.TSTrue, UseUnknownInCatchVariables: core.TSFalse, NoEmit: core.TSTrue, SkipLibCheck: core.TSTrue,
		Lib: []string{libraryFile, iteratorFile}, Types: []string{}, Paths: paths, PathsBasePath: "/", Checkers: &one,
		AllowImportingTsExtensions: core.TSTrue, AllowJs: core.TSTrue, CheckJs: core.TSFalse,
	}
	if !strict {
		o.NoImplicitAny, o.StrictNullChecks = core.TSFalse, core.TSFalse
	}
	return o
}
