package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
)

// maxMessage bounds the text of one diagnostic, in bytes. A message may quote names and
// literals from the types of a hostile server.
const maxMessage = 8 << 10

// Check returns all diagnostics of a script that compiles, in the order of the text. If known
// is false, the module has not been declared and nothing was checked. strict enables checks
// that are too strict for short scripts. JavaScript has no diagnostics, as with tsc.
func (c *Checker) Check(src runner.Source, returns bool, module string, strict bool) (found []toolscript.Diagnostic, known bool) {
	typed, ok := NewTyped(src, returns)
	if !ok {
		return nil, true
	}
	errors, known := c.errors(shim.Script{Text: typed.Text, Modules: typed.Modules}, module, strict)
	return SortDiagnostics(src, place(typed, errors)), known
}

// Syntax replaces the syntax errors in found, of which Compile reports only the first of each
// file, by all syntax errors that the TypeScript compiler finds. If it finds none, or if
// found has other diagnostics, it returns found.
func (c *Checker) Syntax(src runner.Source, found []toolscript.Diagnostic) []toolscript.Diagnostic {
	found = c.syntaxOf(src, found)
	for _, m := range src.Modules {
		found = c.syntaxOf(runner.Source{Code: m.Code, File: m.Path}, found)
	}
	return SortDiagnostics(src, found)
}

func (c *Checker) syntaxOf(src runner.Source, found []toolscript.Diagnostic) []toolscript.Diagnostic {
	file := cmp.Or(src.File, DefaultFile)
	ofSyntax := func(d toolscript.Diagnostic) bool { return d.Code == CodeSyntax && d.File == file }
	if !slices.ContainsFunc(found, ofSyntax) {
		return found
	}
	typed, ok := NewTyped(runner.Source{Code: src.Code, File: src.File, Dialect: src.Dialect}, false)
	if !ok {
		return found
	}
	all := c.syntax(typed.Text)
	if len(all) == 0 {
		return found
	}
	return append(place(typed, all), slices.DeleteFunc(found, ofSyntax)...)
}

func place(typed Typed, all []shim.Diagnostic) (found []toolscript.Diagnostic) {
	for _, f := range all[:min(len(all), maxFound)] {
		d := typed.Diagnostic(f.File, f.Line, f.Column, f.Code, bounded(f.Message))
		if f.Subject != (shim.Subject{}) {
			s := toolscript.Subject(f.Subject)
			d.About = &s
		}
		found = append(found, d)
	}
	return found
}

// maxFound bounds the diagnostics that are processed; fewer are shown.
const maxFound = 1000

func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.TrimRight(texts.Cut(message, maxMessage), "\n ") + " …"
}
