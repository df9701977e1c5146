package codegen

import (
	"bytes"
	"maps"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// Generator makes modules and keeps the text of each tool. After a change of the catalog, it
// only writes the texts of the changed tools, and a filtered module costs almost nothing. The
// zero value is ready to use. A Generator is not safe for concurrent use.
type Generator struct {
	// Observed holds the types of results of tools without an output schema, for the
	// documentation. A change takes effect with the next Module.
	Observed *Shapes

	// Away maps the configured names of servers that are not connected to the reasons.
	// The next Module includes these servers with a comment, and with the tools of
	// their last list, if known.
	Away map[string]string

	names *naming.Names
	texts map[Form]texts
}

// texts holds the pieces of one form by tool id. All pieces were written with the same options.
type texts struct {
	options Options
	pieces  map[string]kept
}

// kept is a piece together with its inputs: the tool, its names and its observed type.
type kept struct {
	tool     toolscript.Tool
	names    naming.Tool
	observed string
	piece    piece
}

// Module returns the module of the catalog c: the whole catalog that n names, or a
// filtered part of it. Tools that n does not name are left out with a warning.
func (g *Generator) Module(c toolscript.Catalog, n *naming.Names, o Options) Result {
	g.use(n)
	m, written := newModule(n, o, g.Away), g.written(o)
	g.write(c, n, o, written)
	for _, t := range c.All() {
		server, names, ok := n.Tool(t)
		if !ok {
			m.warn(Warning{Server: t.Server, Tool: t.Name, Message: "has no identifier; it is not part of the catalog that the names were made from"})
			continue
		}
		m.add(server, written[names.ID].piece)
	}
	return m.result()
}

// write writes the pieces of new and changed tools.
func (g *Generator) write(c toolscript.Catalog, n *naming.Names, o Options, written map[string]kept) {
	var changed []kept
	for _, t := range c.All() {
		_, names, ok := n.Tool(t)
		if !ok {
			continue
		}
		observed := ""
		if t.OutputSchema == nil {
			observed = g.Observed.Type(names.ID)
		}
		old, ok := written[names.ID]
		if !ok || old.names != names || old.observed != observed || !sameTool(old.tool, t) {
			changed = append(changed, kept{tool: t, names: names, observed: observed})
		}
	}
	parallel(len(changed), func(i int) {
		k := &changed[i]
		k.piece = writeTool(k.tool, k.names, k.observed, o)
	})
	for _, k := range changed {
		written[k.names.ID] = k
	}
}

// use sets the names, and drops the pieces of tools that no longer have a name.
func (g *Generator) use(n *naming.Names) {
	if g.names == n {
		return
	}
	g.names = n
	for _, texts := range g.texts {
		maps.DeleteFunc(texts.pieces, func(_ string, k kept) bool {
			_, _, ok := n.Tool(k.tool)
			return !ok
		})
	}
}

// written returns the pieces of a form. If the options have changed, it drops all pieces:
// users rarely change settings back.
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

// sameTool reports whether two tools have the same content. It compares texts instead of hashes:
// comparing 3 MB of equal text takes well under a millisecond.
func sameTool(a, b toolscript.Tool) bool {
	return a.Server == b.Server && a.Name == b.Name && a.Title == b.Title && a.Description == b.Description &&
		sameHints(a.Annotations, b.Annotations) &&
		sameSchema(a.InputSchema, b.InputSchema) && sameSchema(a.OutputSchema, b.OutputSchema)
}

// sameHints reports whether two Annotations have equal values, even if their pointers differ.
func sameHints(a, b toolscript.Annotations) bool { return a == b || hints(a) == hints(b) }

// sameSchema reports whether two schemas are equal. A missing schema differs from an empty one.
func sameSchema(a, b []byte) bool {
	return (a == nil) == (b == nil) && bytes.Equal(a, b)
}
