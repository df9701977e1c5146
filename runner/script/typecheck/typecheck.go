// Package typecheck finds the type errors of a script with the TypeScript compiler
// and returns the compiler's messages. Scripts are hostile: a kilobyte of text keeps
// the compiler busy for minutes, and only the end of the process stops it. The
// package therefore works only in a worker process that can be killed.
//
// The comments @ts-nocheck and @ts-ignore work as in TypeScript: they suppress type
// diagnostics of their own script. The type check is a service for authors, not a
// security boundary: syntax, imports and limits are still enforced, and the gateway
// validates the arguments of every call.
// the arguments of every call are validated by the gateway.
package typecheck

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// maxMessage bounds the text of one diagnostic, in bytes: a message may quote names
// and literals of a hostile server's types.
const maxMessage = 8 << 10

// Check returns all diagnostics of a script that compiles, in the order of the text.
// known is false if the module has not been declared; then nothing has been checked.
// strict enables checks that are too strict for short scripts. JavaScript has no
// diagnostics, as with tsc.
func (c *Checker) Check(src runner.Source, returns bool, module string, strict bool) (found []toolscript.Diagnostic, known bool) {
	typed, ok := script.NewTyped(src, returns)
	if !ok {
		return nil, true
	}
	errors, known := c.errors(typed.Text, module, strict)
	return place(typed, errors), known
}

// Syntax replaces the syntax errors that Compile found, which end at the first
// mistake, by all syntax errors that the TypeScript compiler finds. If it finds none,
// or if the diagnostics are of another kind, found is returned unchanged.
func (c *Checker) Syntax(src runner.Source, found []toolscript.Diagnostic) []toolscript.Diagnostic {
	ofSyntax := func(d toolscript.Diagnostic) bool { return d.Code == script.CodeSyntax }
	typed, ok := script.NewTyped(src, false)
	if !ok || !slices.ContainsFunc(found, ofSyntax) {
		return found
	}
	all := c.syntax(typed.Text)
	if len(all) == 0 {
		return found
	}
	return script.InOrder(append(place(typed, all), slices.DeleteFunc(found, ofSyntax)...))
}

func place(typed script.Typed, all []shim.Diagnostic) (found []toolscript.Diagnostic) {
	for _, f := range all[:min(len(all), maxFound)] {
		d := typed.Diagnostic(f.Line, f.Column, f.Code, bounded(f.Message))
		if f.Subject != (shim.Subject{}) {
			s := toolscript.Subject(f.Subject)
			d.About = &s
		}
		found = append(found, d)
	}
	return script.InOrder(found)
}

// maxFound bounds the diagnostics that are processed; fewer are shown.
const maxFound = 1000

func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	cut := maxMessage
	for !utf8.RuneStart(message[cut]) {
		cut--
	}
	return strings.TrimRight(message[:cut], "\n ") + " …"
}
