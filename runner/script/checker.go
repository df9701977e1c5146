package script

import (
	"context"

	"github.com/microsoft/typescript-go/shim"
)

// Checker finds the type errors of scripts with the TypeScript compiler, one script at a time, and
// returns the compiler's messages. It keeps the parsed libraries and the most recently used
// declarations.
//
// The comments @ts-nocheck and @ts-ignore work as in TypeScript: they suppress type
// diagnostics of their own script. The type check is a service for authors, not a security
// boundary: syntax, imports and limits are still enforced, and the gateway validates the
// arguments of every call.
type Checker struct{ shim *shim.Checker }

// NewChecker returns a Checker. It parses the libraries, which takes 20 ms.
func NewChecker() *Checker {
	c := &Checker{shim.New(Globals)}
	c.Declare("", "export {}")
	c.errors(shim.Script{Text: "export {}"}, "", false)
	return c
}

// Declare parses the declarations of the module "toolscript" and stores them under a
// key.
func (c *Checker) Declare(key, declarations string) {
	c.shim.Declare(key, declarations)
	c.errors(shim.Script{Text: `import "toolscript"`}, key, false)
}

func (c *Checker) errors(s shim.Script, module string, strict bool) (found []shim.Diagnostic, known bool) {
	return c.shim.Check(context.Background(), s, module, strict) // the compiler ignores cancellation here
}
