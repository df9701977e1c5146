package gateways

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

type dashboardOptions struct {
	*app.App
	onTerminal bool
	form       terminal.Form
}

// NewDashboard returns the command dashboard.
func NewDashboard(a *app.App) *cobra.Command {
	o := &dashboardOptions{App: a}
	c := &cobra.Command{
		Use:   "dashboard",
		Short: "Open the page of the running gateway in the browser",
		Long: `Open the page of the running gateway in the browser.

The page shows servers, actors, runs, calls, requests for approval and the log while they
change, and what needs your attention first.

The gateway opens the browser. Without a desktop it writes a link to the terminal of this
command. The link works once, within two minutes; the browser has a cookie afterwards,
until the gateway ends. This command does not print the link, because an agent that runs
it must not have it.

On a machine without a browser, forward the port first, for example: ssh -L PORT:127.0.0.1:PORT HOST`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.onTerminal, "print", false, "write the link to the terminal, and open no browser")
	terminal.AddForm(c.Flags(), &o.form, "print where the link was shown as JSON")
	return c
}

// DashboardShown is the output of dashboard with --json.
type DashboardShown struct {
	URL   string `json:"url"` // address of the gateway, without its secret
	Shown string `json:"shown"`
}

func (o *dashboardOptions) run(ctx context.Context) error {
	g, err := o.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	shown, err := g.ShowDashboard(ctx, api.LinkRequest{PID: os.Getpid(), Print: o.onTerminal})
	if err != nil {
		return err
	}
	address := "http://" + g.Host()
	if o.form.Structured() {
		return o.form.Write(o.Stdout, DashboardShown{address, shown.Shown})
	}
	if shown.Shown == api.ShownTerminal {
		return o.Print("The link to the page of the gateway at %s is on your terminal", address)
	}
	return o.Print("The page of the gateway at %s opens in the browser", address)
}
