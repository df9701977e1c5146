package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/setup"
)

// completeNames completes servers, tools and runs on the command line.
func completeNames(a *app.App, root *cobra.Command) {
	secrets := func(context.Context, *app.Gateway) []string { return setup.SecretNames(a) }
	for path, from := range map[string]app.Lookup{
		"list-tools": a.ServerNames, "auth": a.ServerNames, "auth logout": a.ServerNames, "servers restart": a.ServerNames, "remove": a.RemovableNames, "enable": a.WholeNames, "disable": a.WholeNames, "confine suggest": a.ConfiguredNames,
		"resources read": a.ServerNames, "prompts get": a.ServerNames, "skills get": a.ServerNames, "output": runNames, "runs wait": runNames, "runs abort": runNames,
		"secret set": secrets, "secret remove": secrets, "secret confirm": a.ConfiguredNames,
	} {
		c, _, err := root.Find(strings.Fields(path))
		if err == nil {
			c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return a.Offer(c, begun, from)
			}
		}
	}
	for path, flags := range map[string]map[string]app.Lookup{
		"search": {"server": a.ServerNames}, "logs": {"server": a.ServerNames}, "usage": {"server": a.ConfiguredNames, "run": runNames},
		"get-types": {"filter": a.ToolNames}, "exec": {"allow": a.ToolNames},
		"secret set": {"for": a.ConfiguredNames}, "secret import": {"for": a.ConfiguredNames},
	} {
		c, _, err := root.Find(strings.Fields(path))
		for flag, from := range flags {
			if err == nil {
				_ = c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
					return a.Offer(c, begun, from)
				}) // a flag that does not exist has no completion
			}
		}
	}
}

// runNames returns the ids of the last runs of the gateway.
func runNames(ctx context.Context, g *app.Gateway) []string {
	if g == nil {
		return nil
	}
	runs, err := g.Runs(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range runs {
		out = append(out, r.RunID)
	}
	return out
}
