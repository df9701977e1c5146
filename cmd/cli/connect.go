package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/exit"
)

type connectOptions struct {
	changeOptions
	project bool
}

func newConnect(a *app) *cobra.Command {
	o := &connectOptions{changeOptions: changeOptions{app: a}}
	c := &cobra.Command{
		Use:   "connect CLIENT",
		Short: "Register toolscript as an MCP server in another client",
		Long: `Register toolscript as an MCP server in another client: ` + strings.Join(clients.Connectable(), ", ") + `.

The client then starts "toolscript mcp", and finds the tools of all servers of your
configuration behind it. The change of the client's file is shown first; everything
else in the file stays as it is.`,
		Args:      takes("CLIENT"),
		ValidArgs: clients.Connectable(),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := clients.Find(args[0], clients.Connectable())
			if err != nil {
				return &exit.UsageError{Command: c.CommandPath(), Err: errors.New(err.Error())}
			}
			if o.undo {
				return o.takeBack(c.Context(), "connect-"+client.Name)
			}
			return o.run(c.Context(), client)
		},
	}
	c.Flags().BoolVar(&o.project, "project", false, "in the client's file of this project, not in that of the user")
	o.addFlags(c)
	return c
}

func (o *connectOptions) run(ctx context.Context, client *clients.Client) error {
	places, err := clients.FindPlaces(o.Dir, o.lookupEnv)
	if err != nil {
		return err
	}
	entry, err := places.Own(o.project, o.configFiles())
	if err != nil {
		return err
	}
	change, err := clients.Connect(client, places, o.project, entry)
	if err != nil {
		return err
	}
	plan := &clients.Import{}
	again := "toolscript connect " + client.Name + " --yes"
	if o.project {
		again = "toolscript connect " + client.Name + " --project --yes"
	}
	if change == nil {
		o.say("toolscript is registered in %s already", client.Title)
	} else {
		plan.Changes = []*clients.Change{change}
	}
	return o.carryOut(ctx, "connect-"+client.Name, again, plan)
}
