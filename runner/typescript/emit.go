package shim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/binder"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/diagnostics"
	"github.com/microsoft/typescript-go/internal/printer"
	"github.com/microsoft/typescript-go/internal/sourcemap"
	"github.com/microsoft/typescript-go/internal/transformers"
	"github.com/microsoft/typescript-go/internal/transformers/estransforms"
	"github.com/microsoft/typescript-go/internal/transformers/tstransforms"
	"github.com/microsoft/typescript-go/internal/tspath"
)

// Emitted is a text as JavaScript, with its source map.
type Emitted struct {
	JavaScript string
	SourceMap  string // version 3, with one source
}

// emitOptions are the options for JavaScript of ES2022: the engines have top-level await, private
// fields and class fields, but no decorators and no using declarations.
var emitOptions = &core.CompilerOptions{
	Target: core.ScriptTargetES2022, Module: core.ModuleKindESNext, ModuleDetection: core.ModuleDetectionKindForce,
	IsolatedModules: core.TSTrue, RemoveComments: core.TSTrue, SourceMap: core.TSTrue,
}

// Emit compiles one text to an ES module. It does not look at other files and checks no types. If the
// text has syntax errors, or declares a variable twice, Emit returns these instead. Its cost is as in
// Checker.Check.
func Emit(text string, javaScript bool) (result Emitted, found []Diagnostic) {
	defer func() {
		if reason := recover(); reason != nil { // the text has an error that only the checker finds
			message := strings.TrimPrefix(fmt.Sprint(reason), "Debug failure. False expression: ")
			result, found = Emitted{}, []Diagnostic{{Line: 1, Column: 1, Code: "compiler", Message: "the compiler cannot translate the script: " + message}}
		}
	}()
	file := parse(text, javaScript)
	wrong := append(file.Diagnostics(), file.JSDiagnostics()...)
	if len(wrong) == 0 {
		binder.BindSourceFile(file)
		wrong = slices.DeleteFunc(slices.Clone(file.BindDiagnostics()), func(d *ast.Diagnostic) bool {
			return d.Code() == diagnostics.Duplicate_identifier_0.Code() // JavaScript allows var f and function f in a function
		})
	}
	if len(wrong) > 0 {
		return Emitted{}, report(wrong, nil)
	}
	emit, release := printer.GetEmitContext()
	defer release()
	all := transformersOf(emit, file)
	for _, t := range all {
		file = t.TransformSourceFile(file)
	}
	finish(file, emit)
	writer := &writer{EmitTextWriter: printer.NewTextWriter("\n", 1)}
	generator := sourcemap.NewGenerator("main.js", "", folder, tspath.ComparePathsOptions{UseCaseSensitiveFileNames: true, CurrentDirectory: root})
	printer.NewPrinter(printer.PrinterOptions{
		RemoveComments: true, NewLine: core.NewLineKindLF, SourceMap: true, Target: emitOptions.Target,
	}, printer.PrintHandlers{}, emit).Write(file.AsNode(), file, writer, generator)
	return Emitted{JavaScript: writer.String(), SourceMap: generator.String()}, nil
}

// transformersOf returns the steps that turn a text into JavaScript.
func transformersOf(emit *printer.EmitContext, file *ast.SourceFile) []*transformers.Transformer {
	o := &transformers.TransformOptions{
		Context: emit, CompilerOptions: emitOptions,
		Resolver:                  binder.NewReferenceResolver(emitOptions, binder.ReferenceResolverHooks{}),
		GetEmitModuleFormatOfFile: func(ast.HasFileName) core.ModuleKind { return emitOptions.Module },
	}
	o.EmitResolver = newNames(file, o.Resolver)
	steps := []*transformers.Transformer{tstransforms.NewTypeEraserTransformer(o)}
	if !ast.IsSourceFileJS(file) {
		steps = append(steps, tstransforms.NewImportElisionTransformer(o))
	}
	return append(steps, tstransforms.NewRuntimeSyntaxTransformer(o), newAttributes(emit), newLoops(emit, file), estransforms.NewESNextTransformer(o))
}
