package mcpserver

import (
	"context"
	"strings"

	"github.com/toolscript/toolscript"
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
	Errors []string `json:"errors,omitempty"` // names that are not tools, with similar names

	Notices []string `json:"notices,omitempty"` // about the arguments
}

func (r describeResult) failed() bool { return r.Types == "" }

// storeExport is how scripts know the store.
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
	for _, name := range args.Names {
		tool, err := g.Describe(ctx, name)
		if err != nil && (name == toolscript.StoreName || name == storeExport) {
			var store toolscript.StoreTypes
			store, err = g.StoreTypes(ctx, toolscript.StoreQuery{Form: toolscript.StoreAll, Session: e.sessionOf(ctx), Cwd: e.Cwd})
			tool.Types = store.Types
		}
		if err != nil {
			r.Errors = append(r.Errors, err.Error())
			continue
		}
		modules = append(modules, strings.TrimSpace(tool.Types))
	}
	r.Types = strings.Join(modules, "\n\n")
	return r, ctx.Err()
}
