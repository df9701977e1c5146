package script

import (
	"context"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
)

// maxDoc bounds the text of the comment before a function, in bytes.
const maxDoc = 8 << 10

// Signature describes the function that a script exports as default. The types of JavaScript
// are unknown, because its JSDoc comments are not read. known is as in Check.
func (c *Checker) Signature(src runner.Source, module string) (s runner.Signature, known bool) {
	typed, _ := newTyped(src, false)
	found, known := c.shim.Signature(context.Background(), shim.Script{Text: typed.Text, Modules: typed.Modules}, module) // the compiler ignores cancellation here
	s = runner.Signature{Function: found.Function, Params: found.Params, Result: found.Result, Doc: texts.Short(found.Doc, maxDoc)}
	for _, f := range found.Found {
		s.Fatal = s.Fatal || f.Fatal()
	}
	s.Found = sortFiles(src, place(typed, found.Found))
	return s, known
}
