package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/adhoc"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/form"
)

// takeServers adds --stdio, --url and the flags about them to the commands that then run
// without a gateway.
func (a *app) takeServers(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "call", "exec", "search", "get-types", "list-tools":
			a.takeServersOf(c)
		}
	}
}

func (a *app) takeServersOf(c *cobra.Command) {
	flags := &adhoc.Flags{}
	flags.Add(c.Flags())
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.useServers(c, flags); err != nil {
			return err
		}
		if err := run(c, args); err != nil || flags.Save == "" {
			return err
		}
		return a.saveServer(c.Context(), flags)
	}
}

// useServers adds the servers of the flags to the configuration of this command.
func (a *app) useServers(c *cobra.Command, flags *adhoc.Flags) error {
	servers, err := flags.Servers()
	switch {
	case err != nil:
		return &exit.UsageError{Command: c.CommandPath(), Err: err}
	case len(servers) > 0 && a.target.URL != "":
		return exit.Usage(c.CommandPath(), "--stdio and --url start servers in this command and cannot be combined with --gateway-url")
	}
	a.host.Config.Extra = servers
	return nil
}

// extraServers are the names of the servers of --stdio and --url, sorted.
func (a *app) extraServers() []string { return adhoc.Names(a.host.Config.Extra) }

// saveServer writes the server of the flags into the user's configuration.
func (a *app) saveServer(ctx context.Context, flags *adhoc.Flags) error {
	o := changeOptions{app: a, yes: true, form: form.Table}
	_, targets, err := o.where()
	if err != nil {
		return err
	}
	servers := a.host.Config.Extra
	change, err := clients.AddServer(targets.User, flags.Save, servers[a.extraServers()[0]])
	switch {
	case err != nil:
		return err
	case change == nil:
		o.say("toolscript: %s has this server already, as %s", targets.User.Path, flags.Save)
		return nil
	}
	c, err := o.changer()
	if err != nil {
		return err
	}
	c.Stdout = a.Stderr // the output of the command is data
	return c.CarryOut(ctx, "save", "", &clients.Import{Changes: []*clients.Change{change}})
}
