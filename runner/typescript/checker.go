// Package shim type-checks one script against the declarations of its tools,
// with the TypeScript compiler linked into this program. Its import path lies
// below github.com/microsoft/typescript-go because Go lets only such a path
// import that module's internal packages; nothing of it is copied or patched.
package shim

import (
	"context"

	"github.com/microsoft/typescript-go/internal/collections"
	"github.com/microsoft/typescript-go/internal/compiler"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/tsoptions"
	"github.com/microsoft/typescript-go/internal/tspath"
)

// The files of every check. They exist in memory only.
const (
	root        = "/w"
	mainFile    = root + "/main.ts"
	globalsFile = root + "/globals.d.ts"
	moduleFile  = root + "/toolscript.d.ts"
)

// Version is the compiler's own, as it calls itself.
var Version = core.Version()

// Checker holds the parsed libraries and declarations from check to check. It
// serves one check at a time.
type Checker struct {
	files   *files
	modules *modules
}

// New makes a checker whose scripts see the ECMAScript library, the given
// global declarations and nothing else.
func New(globals string) *Checker {
	c := &Checker{files: newFiles(), modules: &modules{}}
	c.files.write(globalsFile, globals)
	return c
}

// Declare keeps the declarations of a module "toolscript" under a key, in the
// place of one that has not been used for longest when they become too many.
func (c *Checker) Declare(key, declarations string) { c.modules.put(key, declarations) }

// Check returns all findings about a script, in the order of its text: those of
// its syntax, and when there are none those of its types. The script imports the
// module that was declared under the key; known is false, and nothing has been
// checked, when there is none. Hostile text keeps it busy for minutes and ctx
// does not stop it: run it in a process that can be killed.
func (c *Checker) Check(ctx context.Context, script, key string) (found []Diagnostic, known bool) {
	m := c.modules.get(key)
	if m == nil {
		return nil, false
	}
	c.files.place(moduleFile, m)
	c.files.write(mainFile, script)
	defer func() { m.parsed = c.files.parsed[moduleFile] }()
	return c.check(ctx), true
}

// Syntax returns all findings about the syntax of a script, in the order of its
// text, like Check.
func (c *Checker) Syntax(ctx context.Context, script string) []Diagnostic {
	c.files.write(mainFile, script)
	program := c.program()
	return report(compiler.SortAndDeduplicateDiagnostics(program.GetSyntacticDiagnostics(ctx, program.GetSourceFile(mainFile))))
}

func (c *Checker) check(ctx context.Context) []Diagnostic {
	program := c.program()
	file := program.GetSourceFile(mainFile)
	found := append(program.GetProgramDiagnostics(), program.GetSyntacticDiagnostics(ctx, file)...)
	if len(found) == 0 {
		found = withoutUntyped(ctx, program, file, program.GetSemanticDiagnostics(ctx, file))
	}
	return report(compiler.SortAndDeduplicateDiagnostics(found))
}

func (c *Checker) program() *compiler.Program {
	return compiler.NewProgram(compiler.ProgramOptions{
		Host:           host{c.files},
		SingleThreaded: core.TSTrue,
		Config: tsoptions.NewParsedCommandLine(options(), []string{mainFile, globalsFile}, tspath.ComparePathsOptions{
			UseCaseSensitiveFileNames: true, CurrentDirectory: root,
		}),
	})
}

// options are those of a strict check of an ES module. Forced module detection
// makes top-level await legal in a script without imports. What a script catches
// is any: everything but a ToolError is rare, and e.code is what people write.
func options() *core.CompilerOptions {
	one := 1
	paths := collections.NewOrderedMapWithSizeHint[string, []string](1)
	paths.Set("toolscript", []string{moduleFile})
	return &core.CompilerOptions{
		Target: core.ScriptTargetESNext, Module: core.ModuleKindESNext,
		ModuleResolution: core.ModuleResolutionKindBundler, ModuleDetection: core.ModuleDetectionKindForce,
		Strict: core.TSTrue, UseUnknownInCatchVariables: core.TSFalse, NoEmit: core.TSTrue, SkipLibCheck: core.TSTrue,
		Lib: libraries, Types: []string{}, Paths: paths, PathsBasePath: "/", Checkers: &one,
	}
}
