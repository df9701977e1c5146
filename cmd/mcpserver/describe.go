package mcpserver

import (
	"context"
	"strings"

	"github.com/toolscript/toolscript"
)

// maxNames is the largest number of tools that are described at once.
const maxNames = 20

type describeArgs struct{ names, notes []string }

func readDescribe(a *arguments) describeArgs {
	args := describeArgs{names: a.list("names", maxNames)}
	if len(args.names) == 0 {
		a.missing("names", "name tools that search_tools has found")
	}
	args.notes = a.notes
	return args
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
	for _, name := range args.names {
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
