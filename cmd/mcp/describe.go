package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

type describeArgs struct {
	Names []string
	notes []string
}

func readDescribe(ctx context.Context, g *given) (args describeArgs, err error) {
	if !g.has("names") {
		g.missing("names", "name tools that search_tools has found")
	}
	args.notes = g.notes
	return args, g.into(ctx, &args)
}

type describeResult struct {
	Types  string   `json:"types"`            // one TypeScript module for each tool
	Errors []string `json:"errors,omitempty"` // names that are not tools, with suggestions

	Notices []string `json:"notices,omitempty"` // notices about the arguments
}

func (r describeResult) failed() bool { return r.Types == "" }

// storeExport is the name of the store in scripts.
const storeExport = "store"

// describe answers describe_tools.
func (e *entrance) describe(ctx context.Context, args describeArgs) (describeResult, error) {
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return describeResult{}, err
	}
	defer release()
	r := describeResult{Notices: args.notes}
	var modules []string
	seen := map[string]bool{}
	for _, name := range args.Names {
		tool, err := g.Describe(ctx, name)
		if err != nil && (name == toolscript.StoreName || name == storeExport) {
			var store toolscript.StoreTypes
			store, err = g.StoreTypes(ctx, toolscript.StoreQuery{Form: toolscript.StoreAll, Session: e.sessionOf(ctx), Cwd: e.Cwd})
			tool.Types = store.Types
		}
		if err != nil {
			if list := e.toolsOf(ctx, g, name); list != "" {
				tool.Types, err = list, nil
			}
		}
		if err != nil {
			r.Errors = append(r.Errors, err.Error())
			continue
		}
		modules = append(modules, once(strings.TrimSpace(tool.Types), seen))
	}
	r.Types = strings.Join(modules, "\n\n")
	return r, ctx.Err()
}

// maxListed is the maximum number of a server's tools that are listed by name.
const maxListed = 200

// toolsOf lists the tools of a server by name, or says why it has none. It returns "" if
// there is no such server.
func (e *entrance) toolsOf(ctx context.Context, g Gateway, name string) string {
	name = strings.TrimPrefix(name, "tools.")
	is := func(server string) bool { return server == name || naming.ServerIdentifier(server) == name }
	answer, err := g.Tools(ctx, nil, 0)
	if err != nil {
		return ""
	}
	for _, s := range answer.Missing {
		if is(s.Name) {
			return fmt.Sprintf("// %s has no tools now: %s", s.Name, cmp.Or(shortened(e.told(toolscript.Shown(s.Error))), string(s.State)))
		}
	}
	var lines []string
	count := 0
	for _, t := range answer.Tools {
		if !is(t.ServerName) {
			continue
		}
		if count++; count <= maxListed {
			lines = append(lines, "// "+naming.ServerIdentifier(t.ServerName)+"."+naming.Identifier(t.ToolName)+": "+shortened(t.Description))
		}
	}
	switch {
	case count == 0:
		return ""
	case count > maxListed:
		lines = append(lines, fmt.Sprintf("// … and %d more: use search_tools", count-maxListed))
	}
	return fmt.Sprintf("// %s has %d tools; describe those that you need:\n%s", name, count, strings.Join(lines, "\n"))
}

// once removes the leading comment of a module, which has the instructions of the server,
// if an earlier module has the same comment.
func once(module string, seen map[string]bool) string {
	end := 0
	for line := range strings.Lines(module) {
		if !strings.HasPrefix(line, "//") {
			break
		}
		end += len(line)
	}
	head := module[:end]
	if seen[head] {
		return module[end:]
	}
	seen[head] = true
	return module
}
