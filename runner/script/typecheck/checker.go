package typecheck

import (
	"context"

	"github.com/microsoft/typescript-go/shim"
)

// Checker checks one script at a time. It keeps the parsed libraries and the most
// recently used declarations.
type Checker struct{ shim *shim.Checker }

// New returns a Checker. It parses the libraries, which takes 20 ms.
func New() *Checker {
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

func (c *Checker) syntax(text string) []shim.Diagnostic {
	return c.shim.Syntax(context.Background(), text) // the compiler ignores cancellation here
}

func (c *Checker) errors(s shim.Script, module string, strict bool) (found []shim.Diagnostic, known bool) {
	return c.shim.Check(context.Background(), s, module, strict) // the compiler ignores cancellation here
}
