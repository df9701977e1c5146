package doctor

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/runner/deno"
)

// NewDeno returns the command deno.
func NewDeno(a *app.App) *cobra.Command {
	var out terminal.Form
	status := &cobra.Command{
		Use:   "status",
		Short: "Show which Deno runs scripts",
		Args:  app.Takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return denoStatus(c.Context(), a, out) },
	}
	terminal.AddForm(status.Flags(), &out, "print it as JSON")
	install := &cobra.Command{
		Use:   "install",
		Short: "Install Deno with npm, for toolscript only",
		Long: `Install Deno with npm, for toolscript only. The version on this platform is
` + cmp.Or(deno.Version, "none, because npm has no Deno for it") + `.

npm uses the registry of .npmrc or NPM_CONFIG_REGISTRY, and accepts only the content
that this version of toolscript pins. Scripts of packages do not run. A Deno in ` + deno.Variable + ` or in PATH has precedence.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return installDeno(c.Context(), a, out) },
	}
	terminal.AddForm(install.Flags(), &out, "print what was installed as JSON")
	return app.Group("deno", "Manage Deno, the engine that is not part of toolscript", status, install)
}

func denoStatus(ctx context.Context, a *app.App, out terminal.Form) error {
	status := a.Host.FindDeno(ctx)
	if out.Structured() {
		return out.Write(a.Stdout, status)
	}
	if !status.Available {
		return errors.New(status.Reason)
	}
	if status.Warning != "" {
		a.Warn("%s", status.Warning)
	}
	return a.Print("Deno %s at %s", status.Version, status.Path)
}

func installDeno(ctx context.Context, a *app.App, out terminal.Form) error {
	folder, err := a.Host.DenoFolder()
	if err != nil {
		return err
	}
	path, err := deno.Install(ctx, folder, a.Env)
	if err != nil {
		return err
	}
	if out.Structured() {
		err = out.Write(a.Stdout, toolscript.EngineStatus{Name: toolscript.EngineDeno, Available: true, Version: deno.Version, Path: path})
	} else {
		err = a.Print("installed Deno %s at %s", deno.Version, path)
	}
	if err != nil {
		return err
	}
	switch used := a.Host.FindDeno(ctx); {
	case !used.Available:
		a.Warn("it is not used yet: %s", used.Reason)
	case used.Path != path:
		a.Warn("scripts run on Deno %s at %s, which comes first; to use this one: export %s=%s", used.Version, used.Path, deno.Variable, path)
	}
	return nil
}
