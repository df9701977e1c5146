package gateways

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type serversRestartOptions struct {
	*app.App
	form terminal.Form
}

// NewServers returns the command servers.
func NewServers(a *app.App) *cobra.Command {
	return app.Group("servers", "Manage the MCP servers of the gateway", newServersRestart(a))
}

func newServersRestart(a *app.App) *cobra.Command {
	o := &serversRestartOptions{App: a}
	c := &cobra.Command{
		Use:   "restart SERVER",
		Short: "End one server of the gateway and start it again",
		Long: `End one server of the gateway and start it again, and wait for its connection.

The other servers keep their connections. Calls in flight on the server fail, and calls
that were not sent yet wait for the new connection. A shared server is restarted for all
gateways that use it, and their calls in flight fail too. The configuration is not read
again; for that: toolscript gateway reload.`,
		Args: app.Takes("SERVER, the name of a server; see: toolscript list-servers"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the state of the server as JSON")
	return c
}

// run restarts a server, and returns an error if it is not connected afterwards.
func (o *serversRestartOptions) run(ctx context.Context, name string) error {
	g, err := o.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	over := o.Waiting("restarting " + name)
	status, err := g.RestartServer(ctx, name)
	over()
	if err != nil {
		return err
	}
	if o.form.Structured() {
		err = o.form.Write(o.Stdout, status)
	} else if status.State == toolscript.Ready {
		err = o.Print("Restarted %s: %s, %d tools", terminal.OneLine(name), status.State, status.Tools)
	}
	if err != nil || status.State == toolscript.Ready {
		return err
	}
	if o.form.Structured() {
		return &app.Error{Code: app.Failure}
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("%s was restarted and is not connected: %s", name, app.MissingReason(toolscript.MissingServer{
		Name: status.Name, State: status.State, Error: cmp.Or(status.Error, status.Start(time.Now())),
	}))}
}
