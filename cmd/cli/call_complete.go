package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/target"
	"github.com/toolscript/toolscript/cmd/toolcache"
	"github.com/toolscript/toolscript/naming"
)

// completeCall completes the tool of toolscript call, then the names of its parameters, then
// the values that a parameter may have.
func (a *app) completeCall(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.offer(c, begun, func(ctx context.Context, g *target.Gateway) (out []string) {
			for _, t := range a.callableTools(ctx, g) {
				out = append(out, t.name)
			}
			return out
		})
	}
	found, directive := a.offer(c, begun, func(ctx context.Context, g *target.Gateway) []string {
		for _, t := range a.callableTools(ctx, g) {
			if t.name == args[0] || t.id == args[0] {
				return t.words(args[1:], begun)
			}
		}
		return nil
	})
	if len(found) > 0 && strings.HasSuffix(found[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}

// callableTool is a tool that a completion offers.
type callableTool struct {
	name   string // server.tool, as scripts write it
	id     string
	schema json.RawMessage
}

// callableTools are the tools of the gateway, else those in the last lists of the servers.
func (a *app) callableTools(ctx context.Context, g *target.Gateway) (out []callableTool) {
	add := func(server, tool string, schema json.RawMessage) {
		name := naming.ServerIdentifier(server) + "." + naming.Identifier(tool)
		out = append(out, callableTool{name, server + toolscript.Separator + tool, schema})
	}
	if g != nil {
		answer, err := g.Tools(ctx, nil, 0)
		if err != nil {
			return nil
		}
		for _, t := range answer.Tools {
			add(t.ServerName, t.ToolName, t.InputSchema)
		}
		return out
	}
	loaded, err := config.Load(a.host.ConfigOptions(false))
	if err != nil {
		return nil
	}
	_, allow, err := loaded.Settings.Narrow(a.target.Profile)
	if err != nil {
		return nil
	}
	folder := toolcache.Folder(a.host.Cache("tools"))
	for _, server := range slices.Sorted(maps.Keys(loaded.Servers)) {
		c := loaded.Servers[server]
		offered, _ := c.Offered(server, folder.Recall(server, c), nil)
		for _, t := range offered {
			if allow.Match(t) {
				add(server, t.Name, t.InputSchema)
			}
		}
	}
	return out
}

// words are the next words of a call: KEY= for each parameter that is not given yet, or
// KEY=VALUE for each value of the parameter that is begun.
func (t callableTool) words(given []string, begun string) (out []string) {
	var schema struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
	}
	if json.Unmarshal(t.schema, &schema) != nil {
		return nil
	}
	key, _, valued := strings.Cut(begun, "=")
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p := schema.Properties[name]
		switch {
		case !valued && !slices.ContainsFunc(given, func(word string) bool {
			return strings.HasPrefix(word, name+"=") || strings.HasPrefix(word, name+":=")
		}):
			out = append(out, name+"=")
		case valued && name == key && p.Type == "boolean":
			out = append(out, name+"=false", name+"=true")
		case valued && name == key:
			for _, value := range p.Enum {
				out = append(out, fmt.Sprintf("%s=%v", name, value))
			}
		}
	}
	return out
}
