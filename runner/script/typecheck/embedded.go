//go:build !nocheck

package typecheck

import (
	"context"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript/runner"
)

// Version is that of the compiler in this program, "" when there is none.
var Version = shim.Version

// Checker checks one script after the other. It holds the parsed libraries and
// the declarations that were used last.
type Checker struct{ shim *shim.Checker }

// New makes a checker. It has parsed the libraries, which takes 20 ms.
func New() *Checker {
	c := &Checker{shim.New(Globals)}
	c.Declare("", "export {}")
	c.errors("export {}", "")
	return c
}

// Declare keeps the declarations of the module "toolscript" under a key. The
// next check of it finds them parsed.
func (c *Checker) Declare(key, declarations string) {
	c.shim.Declare(key, declarations)
	c.errors(`import "toolscript"`, key)
}

func (c *Checker) syntax(text string) (found []runner.Finding) {
	for _, e := range c.shim.Syntax(context.Background(), text) { // a context would not stop it
		found = append(found, runner.Finding{Line: e.Line, Column: e.Column, Code: e.Code, Message: e.Message})
	}
	return found
}

func (c *Checker) errors(text, module string) (found []runner.Finding, known bool) {
	errors, known := c.shim.Check(context.Background(), text, module) // a context would not stop it
	for _, e := range errors {
		message := e.Message
		if e.Property != "" {
			message += nearest(e.Property, c.shim.Members(module, holder(e.Interface)))
		}
		found = append(found, runner.Finding{Line: e.Line, Column: e.Column, Code: e.Code, Message: message})
	}
	return found, known
}
