package codegen

import "github.com/toolscript/toolscript"

// Render is the module of exactly the tools with these ids, of which c is the
// whole catalog: what a search found, in the form that o asks for. An id that c
// does not have is left out with a warning.
func Render(c toolscript.Catalog, n *Names, ids []string, o Options) Result {
	var g Generator
	return g.Render(c, n, ids, o)
}

// Render is the module of exactly the tools with these ids.
func (g *Generator) Render(c toolscript.Catalog, n *Names, ids []string, o Options) Result {
	tools := make([]toolscript.Tool, 0, len(ids))
	var missing []Warning
	for _, id := range ids {
		if t, ok := c.Lookup(id); ok {
			tools = append(tools, t)
		} else {
			missing = append(missing, Warning{Tool: id, Message: "is no tool of the catalog"})
		}
	}
	r := g.Module(toolscript.NewCatalog(c.Generation(), c.Servers(), tools), n, o)
	r.Warnings = append(r.Warnings, missing...)
	return r
}
