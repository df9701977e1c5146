package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/runner/deno"
)

func newDeno(a *app) *cobra.Command {
	var asJSON bool
	status := &cobra.Command{
		Use:   "status",
		Short: "Say which Deno would run scripts",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return a.denoStatus(c.Context(), asJSON) },
	}
	status.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return group("deno", "Manage the engine that is not built in", status, &cobra.Command{
		Use:   "install",
		Short: "Install Deno through npm, for toolscript alone",
		Long: `Install Deno through npm, for toolscript alone: on this platform version
` + cmp.Or(deno.Version, "none, since npm has no Deno for it") + `.

npm asks the registry that .npmrc or NPM_CONFIG_REGISTRY names, and takes nothing
but the content that this version of toolscript pins. No script of a package
runs. A Deno in ` + deno.Variable + `, or in PATH, is used before this one.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return a.installDeno(c.Context()) },
	})
}

func (a *app) denoStatus(ctx context.Context, asJSON bool) error {
	status := a.findDeno(ctx)
	if asJSON {
		return writeJSON(a.Stdout, status)
	}
	if !status.Available {
		return errors.New(status.Reason)
	}
	if status.Warning != "" {
		a.warn("%s", status.Warning)
	}
	return a.print("Deno %s at %s", status.Version, status.Path)
}

func (a *app) installDeno(ctx context.Context) error {
	folder, err := a.denoFolder()
	if err != nil {
		return err
	}
	path, err := deno.Install(ctx, folder, a.Env)
	if err != nil {
		return err
	}
	if err := a.print("installed Deno %s at %s", deno.Version, path); err != nil {
		return err
	}
	switch used := a.findDeno(ctx); {
	case !used.Available:
		a.warn("it is not used yet: %s", used.Reason)
	case used.Path != path:
		a.warn("scripts run on Deno %s at %s, which comes first; to use this one: export %s=%s", used.Version, used.Path, deno.Variable, path)
	}
	return nil
}
