package actors

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/codegen"
)

// Describe returns the description of one tool. name is its id, or the name that
// scripts write: server.tool or tools.server.tool.
func (s *System) Describe(_ context.Context, name string) (d toolscript.ToolDescription, err error) {
	defer s.recovered(&err)
	view := s.current()
	id := view.Names().Resolve(name)
	tool, ok := view.Catalog.Lookup(id)
	if !ok {
		return d, s.missing(view, id, nil)
	}
	input := tool.InputSchema
	if len(input) == 0 {
		input = json.RawMessage(`{}`) // no schema accepts anything
	}
	d = toolscript.ToolDescription{
		ToolID: id, ServerName: tool.Server, ToolName: tool.Name, Call: view.Names().Call(tool),
		Description: tool.Description, InputSchema: input, Annotations: tool.Annotations, Original: tool.Original,
		Types: s.renderCompact(view, id),
	}
	if tool.OutputSchema != nil {
		d.OutputSchema = tool.OutputSchema
	}
	return d, nil
}

// searchTypes returns the module of the tools found, and a script that calls the first.
func (s *System) searchTypes(view registry.View, hits []toolscript.SearchHit) (types, example string) {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ToolID
	}
	if tool, ok := view.Catalog.Lookup(ids[0]); ok {
		example = codegen.Example(tool, view.Names().Call(tool))
	}
	return s.renderCompact(view, ids...), example
}

// renderCompact returns the module of these tools. For a few tools it takes less than
// a millisecond, so it is not cached.
func (s *System) renderCompact(view registry.View, ids ...string) string {
	o := s.options.Types().Options
	o.Form = codegen.Compact
	g := codegen.Generator{Observed: s.shapes()}
	return g.Render(view.Catalog, view.Names(), ids, o).Text
}
