package codegen

import (
	"bytes"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/observe"
)

// Generator makes modules and keeps the text of each tool, so that after a
// change only what changed is made anew, and a filtered module costs next to
// nothing. The zero value is ready. A Generator is not safe for concurrent use.
type Generator struct {
	// Observed are the types of results seen of tools that promise none, for the
	// documentation. The next Module shows them.
	Observed *observe.Shapes

	names  *Names
	pieces map[pieceKey]kept
}

// pieceKey says which text of a tool is kept.
type pieceKey struct {
	id      string
	options Options
}

// kept is a piece with everything it was made from.
type kept struct {
	tool     toolscript.Tool
	names    ToolNames
	observed string
	piece    piece
}

// Module is the module of the catalog c: all of the catalog that n names, or a
// filtered part of it. Tools that n does not name are left out with a warning.
func (g *Generator) Module(c toolscript.Catalog, n *Names, o Options) Result {
	g.use(n)
	m := newModule(o)
	for _, t := range c.Tools() {
		names, ok := n.Tool(t.ID())
		if !ok {
			m.warn(Warning{Server: t.Server, Tool: t.Name, Message: "has no identifier; it is not part of the catalog that the names were made from"})
			continue
		}
		server, _ := n.ByServer(t.Server)
		m.add(server, g.piece(t, names, o))
	}
	return m.result()
}

// use drops the pieces of tools that are gone when the names are new ones.
func (g *Generator) use(n *Names) {
	if g.names == n {
		return
	}
	g.names = n
	for k := range g.pieces {
		if _, ok := n.Tool(k.id); !ok {
			delete(g.pieces, k)
		}
	}
}

func (g *Generator) piece(t toolscript.Tool, names ToolNames, o Options) piece {
	k := pieceKey{names.ID, o}
	observed := ""
	if t.OutputSchema == nil {
		observed = g.Observed.Type(names.ID)
	}
	if old, ok := g.pieces[k]; ok && old.names == names && old.observed == observed && sameTool(old.tool, t) {
		return old.piece
	}
	p := writeTool(t, names, observed, o)
	if g.pieces == nil {
		g.pieces = map[pieceKey]kept{}
	}
	g.pieces[k] = kept{t, names, observed, p}
	return p
}

// sameTool compares contents rather than hashes: comparing 3 MB that did not
// change takes well under a millisecond.
func sameTool(a, b toolscript.Tool) bool {
	return a.Server == b.Server && a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
		hints(a.Annotations) == hints(b.Annotations) &&
		sameSchema(a.InputSchema, b.InputSchema) && sameSchema(a.OutputSchema, b.OutputSchema)
}

// sameSchema tells a missing schema from an empty one.
func sameSchema(a, b []byte) bool {
	return (a == nil) == (b == nil) && bytes.Equal(a, b)
}
