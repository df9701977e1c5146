package codegen

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// Render returns the module of the tools with the given ids, in the form of o. c is the
// whole catalog. Ids that are not in c are left out with a warning.
func (g *Generator) Render(c toolscript.Catalog, n *naming.Names, ids []string, o Options) Result {
	tools := make([]toolscript.Tool, 0, len(ids))
	var missing []Warning
	for _, id := range ids {
		if t, ok := c.Lookup(id); ok {
			tools = append(tools, t)
		} else {
			missing = append(missing, Warning{Tool: id, Message: "is not a tool of the catalog"})
		}
	}
	r := g.Module(toolscript.NewCatalog(c.Generation(), c.Servers(), tools), n, o)
	r.Warnings = append(r.Warnings, missing...)
	return r
}
