package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Describe returns the description of one tool. name is its id, or the name that scripts
// write: server.tool or tools.server.tool. For an unknown tool it reads the server's list again.
func (s *System) Describe(ctx context.Context, name string) (d toolscript.ToolDescription, err error) {
	defer rescue.Catch(s.panicked(&err))
	view := s.current()
	id := view.Names().Resolve(name)
	tool, ok := view.Catalog.Lookup(id)
	if owner := serverOf(view, id); !ok && owner != "" && s.Reread(ctx, owner) {
		view = s.current()
		id = view.Names().Resolve(name)
		tool, ok = view.Catalog.Lookup(id)
	}
	if !ok {
		return d, s.missing(view, id, nil)
	}
	input := tool.InputSchema
	if len(input) == 0 {
		input = json.RawMessage(`{}`) // without a schema, all input is accepted
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
func (s *System) searchTypes(view catalog.View, hits []toolscript.SearchHit) (types, example string) {
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
func (s *System) renderCompact(view catalog.View, ids ...string) string {
	o := s.options.Types().Options
	o.Form = codegen.Compact
	g := codegen.Generator{Observed: s.shapes()}
	text := g.Render(view.Catalog, view.Names(), ids, o).Text
	head := instructionComments(view, ids)
	if strings.Contains(text, " … */") || strings.Contains(text, " … (") {
		head += "// Descriptions that end with … are cut; tools.$describe(\"server.tool\") has all of them.\n"
	}
	return head + text
}

// maxInstructions bounds the instructions of a server in front of the types of its tools, in characters.
const maxInstructions = 1000

// instructionComments returns the instructions of the servers of the tools, as comments. It leaves out a text
// that looks like an attempt to instruct a model.
func instructionComments(view catalog.View, ids []string) string {
	var b strings.Builder
	for _, s := range view.Servers {
		if s.Instructions == "" || !slices.ContainsFunc(ids, func(id string) bool { tool, _ := view.Catalog.Lookup(id); return tool.Server == s.Name }) {
			continue
		}
		more := toolscript.Command("list-servers", "--verbose")
		if slices.ContainsFunc(s.Suspicions, func(f toolscript.Suspicion) bool { return f.Tool == "" && f.Where == "instructions" }) {
			fmt.Fprintf(&b, "// The instructions of the server %s are left out: they look like an attempt to instruct a model. See: %s\n", s.Name, more)
			continue
		}
		text := []rune(strings.TrimSpace(s.Instructions))
		if len(text) > maxInstructions {
			text = append(text[:maxInstructions:maxInstructions], []rune("… (the rest: "+more+")")...)
		}
		fmt.Fprintf(&b, "// The server %s says:\n", s.Name)
		for _, line := range strings.FieldsFunc(toolscript.Shown(string(text)), func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }) {
			b.WriteString("// " + line + "\n")
		}
	}
	return b.String()
}
