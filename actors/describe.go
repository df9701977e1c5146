package actors

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/codegen"
)

// Describe is what there is to know of one tool: its id, or what scripts write
// for it, as server.tool or tools.server.tool.
func (s *System) Describe(_ context.Context, name string) (d toolscript.ToolDescription, err error) {
	defer s.recovered(&err)
	view := s.current()
	id := idOf(view.Names(), name)
	tool, ok := view.Catalog.Lookup(id)
	if !ok {
		return d, s.missing(view, id, nil)
	}
	input := tool.InputSchema
	if len(input) == 0 {
		input = json.RawMessage(`{}`) // a schema that takes anything, as none at all does
	}
	d = toolscript.ToolDescription{
		ToolID: id, ServerName: tool.Server, ToolName: tool.Name, Call: callOf(view.Names(), tool),
		Description: tool.Description, InputSchema: input, Annotations: tool.Annotations,
		Types: s.renderCompact(view, id),
	}
	if tool.OutputSchema != nil {
		d.OutputSchema = tool.OutputSchema
	}
	return d, nil
}

// idOf is the id of the tool that scripts call by name; an id is one already.
func idOf(names *codegen.Names, name string) string {
	server, tool, dotted := strings.Cut(strings.TrimPrefix(name, "tools."), ".")
	if id, ok := names.ID(server, tool); dotted && ok {
		return id
	}
	if known, ok := names.Server(server); dotted && ok {
		return known.Server + toolscript.Separator + tool // which there is not, but perhaps others like it
	}
	return name
}

// callOf is what scripts write to call a tool.
func callOf(names *codegen.Names, t toolscript.Tool) string {
	server, _ := names.ByServer(t.Server)
	tool, ok := names.Tool(t.ID())
	if !ok { // it is of an index older than the names
		return ""
	}
	return "tools." + server.Ident + "." + tool.Ident
}

// searchTypes are the module of what was found, and a script that calls the first.
func (s *System) searchTypes(view registry.View, hits []toolscript.SearchHit) (types, example string) {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ToolID
	}
	if tool, ok := view.Catalog.Lookup(ids[0]); ok {
		example = codegen.Example(tool, callOf(view.Names(), tool))
	}
	return s.renderCompact(view, ids...), example
}

// renderCompact is the module of exactly these tools. A few tools take less than
// a millisecond, so that nobody keeps it.
func (s *System) renderCompact(view registry.View, ids ...string) string {
	o := s.options.Types().Options
	o.Form = codegen.Compact
	g := codegen.Generator{Observed: s.shapes()}
	return g.Render(view.Catalog, view.Names(), ids, o).Text
}
