package gateways

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/egress"
)

type reloadOptions struct {
	*app.App
	dry  bool
	form terminal.Form
}

// NewGatewayReload returns the command gateway reload.
func NewGatewayReload(a *app.App) *cobra.Command {
	o := &reloadOptions{App: a}
	c := &cobra.Command{
		Use:   "reload",
		Short: "Make the gateway read its configuration again",
		Long: `Make the gateway read its configuration again. SIGHUP does the same. So do the
gateways inside toolscript mcp that read one of the same files.

Servers keep their connection if their configuration is unchanged, or differs only in
time limit, concurrency, rate limit or tool filters. Other servers are stopped or connect again,
and so do all servers that are not connected. Variables of the configuration get their
values from the environment of this command. All settings take effect at once, except
where a flag of gateway start decides. A search model that failed is tried again. After
a mistake in a file, nothing changes. A new or changed server of a project is not
started before toolscript trust; the exit code is 1 then.

With --dry-run nothing changes. The command prints what a reload would do with each
server and which fields of its configuration differ, without their values, and which
settings differ. It has a line for each gateway inside toolscript mcp. The exit code is 0
if the files say what is in force, 5 if a server or a setting differs, and 1 after an
error, such as a mistake in a file.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.dry {
				return o.plan(c.Context())
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.dry, "dry-run", false, "print what would change, and change nothing; the exit code is 5 if something differs")
	terminal.AddForm(c.Flags(), &o.form, "print what changed as JSON")
	return c
}

func (o *reloadOptions) run(ctx context.Context) error {
	g, err := o.Target.Require(ctx)
	embedded, failed := o.reloadEmbedded(ctx)
	switch {
	case errors.Is(err, app.ErrNone) && len(embedded) > 0:
		return errors.Join(failed, o.tell(embedded[0]))
	case err != nil:
		return errors.Join(err, failed)
	}
	defer g.Close()
	changed, err := reload(ctx, o.App, g.Client)
	if err != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(failed, o.tell(changed))
}

// reloadEmbedded reloads the gateways inside toolscript mcp that read a file of this configuration.
func (o *reloadOptions) reloadEmbedded(ctx context.Context) (all []toolscript.Reload, failed error) {
	failed = o.eachEmbedded(ctx, func(process int, g *api.Client) error {
		changed, err := reload(ctx, o.App, g)
		if err == nil {
			all = append(all, changed)
			o.Say("toolscript mcp (process %d): %s", process, app.ChangeWords(changed))
		}
		return err
	})
	return all, failed
}

// eachEmbedded calls do for each gateway inside toolscript mcp that reads a file of this configuration.
func (o *reloadOptions) eachEmbedded(ctx context.Context, do func(process int, g *api.Client) error) error {
	if o.Target.URL != "" {
		return nil
	}
	places, err := o.Target.Places()
	if err != nil {
		return err
	}
	files, err := config.Locate(o.Host.ConfigOptions(false))
	if err != nil {
		return err
	}
	entries, err := places.Embedded(config.Paths(files))
	for _, e := range entries {
		g, dialErr := app.Dial(ctx, e.URL)
		if dialErr != nil {
			err = errors.Join(err, dialErr)
			continue
		}
		err = errors.Join(err, do(e.PID, g.Client))
		g.Close()
	}
	return err
}

// tell prints what a reload has changed.
func (o *reloadOptions) tell(changed toolscript.Reload) error {
	if o.form.Structured() {
		if err := o.form.Write(o.Stdout, changed); err != nil {
			return err
		}
		return untaken(changed)
	}
	for _, warning := range changed.Warnings {
		o.Warn("%s", warning)
	}
	if err := o.Print("Reloaded: %s", app.ChangeWords(changed)); err != nil {
		return err
	}
	return untaken(changed)
}

// reload makes the gateway read its configuration again.
func reload(ctx context.Context, a *app.App, g *api.Client) (toolscript.Reload, error) {
	env, err := configuredEnv(ctx, a, g)
	if err != nil {
		return toolscript.Reload{}, err
	}
	return g.Reload(ctx, env)
}

// configuredEnv returns the variables that the configuration of g refers to, with their values in the
// environment of this command. Only a gateway on this machine gets them.
func configuredEnv(ctx context.Context, a *app.App, g *api.Client) (map[string]string, error) {
	env := map[string]string{}
	if host, _, err := net.SplitHostPort(g.Host()); err == nil && egress.IsLoopback(host) {
		names, err := g.Variables(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if value, ok := a.LookupEnv(name); ok {
				env[name] = value
			}
		}
	}
	return env, nil
}

// untaken returns an error without a message if the gateway stopped or left out a server that is not trusted,
// so that scripts can detect it. A warning has named the server.
func untaken(r toolscript.Reload) error {
	if len(r.NotTrusted) > 0 {
		return &app.Error{Code: app.Failure}
	}
	return nil
}
