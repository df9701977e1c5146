package app

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/config"
)

// TakeProfile adds --profile to the commands that use or show tools.
func (a *App) TakeProfile(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "exec", "call", "check", "run", "agent", "harness", "search", "get-types", "list-tools", "resources", "prompts", "skills", "mcp":
			a.takeProfileOf(c)
		}
	}
}

func (a *App) takeProfileOf(c *cobra.Command) {
	const flag = "profile"
	f := c.PersistentFlags()
	f.StringVar(&a.Target.Profile, flag, "", "the `name` of a profile of the configuration: only its servers and tools can be seen and called (default: profile of the configuration, else all)")
	FromEnvironment(f, flag, "TOOLSCRIPT_PROFILE")
	_ = c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.Offer(c, begun, a.profileNames)
	}) // the flag exists
}

// profileNames returns the names of the profiles of the configuration.
func (a *App) profileNames(context.Context, *Gateway) []string {
	loaded, err := config.Load(a.Host.ConfigOptions(false))
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(loaded.Settings.Profiles))
}
