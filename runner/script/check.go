package script

import (
	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Check returns all diagnostics of a script that compiles, in the order of the text. If known
// is false, the module has not been declared and nothing was checked. strict enables checks
// that are too strict for short scripts. JavaScript has no diagnostics, as with tsc.
func (c *Checker) Check(src runner.Source, returns bool, module string, strict bool) (found []toolscript.Diagnostic, known bool) {
	typed, ok := newTyped(src, returns)
	if !ok {
		return nil, true
	}
	errors, known := c.errors(shim.Script{Text: typed.Text, Modules: typed.Modules}, module, strict)
	return sortFiles(src, place(typed, errors)), known
}

func place(t typed, all []shim.Diagnostic) (found []toolscript.Diagnostic) {
	for _, f := range all[:min(len(all), maxFound)] {
		d := t.diagnostic(f.File, f.Line, f.Column, f.Code, f.Message)
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
