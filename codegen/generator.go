package codegen

import (
	"bytes"
	"maps"

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

	names *Names
	texts map[Form]texts
}

// texts are the pieces of one form by the id of their tool. They are all written
// with the same options.
type texts struct {
	options Options
	pieces  map[string]kept
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
	m, written := newModule(n, o), g.written(o)
	for id, t := range c.All() {
		at, ok := n.tools[id]
		if !ok {
			m.warn(Warning{Server: t.Server, Tool: t.Name, Message: "has no identifier; it is not part of the catalog that the names were made from"})
			continue
		}
		m.add(at.server, g.piece(t, n.servers[at.server].Tools[at.tool], o, written))
	}
	return m.result()
}

// use drops the pieces of tools that are gone when the names are new ones.
func (g *Generator) use(n *Names) {
	if g.names == n {
		return
	}
	g.names = n
	for _, texts := range g.texts {
		maps.DeleteFunc(texts.pieces, func(id string, _ kept) bool {
			_, ok := n.tools[id]
			return !ok
		})
	}
}

// written are the pieces there are under these options. Those of the same form
// under others are dropped, since a setting that was changed is not changed back.
func (g *Generator) written(o Options) map[string]kept {
	t := g.texts[o.Form]
	if t.pieces == nil || t.options != o {
		if g.texts == nil {
			g.texts = map[Form]texts{}
		}
		t = texts{o, map[string]kept{}}
		g.texts[o.Form] = t
	}
	return t.pieces
}

func (g *Generator) piece(t toolscript.Tool, names ToolNames, o Options, written map[string]kept) piece {
	observed := ""
	if t.OutputSchema == nil {
		observed = g.Observed.Type(names.ID)
	}
	if old, ok := written[names.ID]; ok && old.names == names && old.observed == observed && sameTool(old.tool, t) {
		return old.piece
	}
	p := writeTool(t, names, observed, o)
	written[names.ID] = kept{t, names, observed, p}
	return p
}

// sameTool compares contents rather than hashes: comparing 3 MB that did not
// change takes well under a millisecond.
func sameTool(a, b toolscript.Tool) bool {
	return a.Server == b.Server && a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
		sameHints(a.Annotations, b.Annotations) &&
		sameSchema(a.InputSchema, b.InputSchema) && sameSchema(a.OutputSchema, b.OutputSchema)
}

// sameHints compares what is pointed to when the pointers differ.
func sameHints(a, b toolscript.Annotations) bool { return a == b || hints(a) == hints(b) }

// sameSchema tells a missing schema from an empty one.
func sameSchema(a, b []byte) bool {
	return (a == nil) == (b == nil) && bytes.Equal(a, b)
}
