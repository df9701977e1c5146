package hub

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

func newHubDrain(a *app.App) *cobra.Command {
	o := &report{App: a}
	c := &cobra.Command{
		Use:   "drain HOST",
		Short: "End the hubs of the fleet on a host, without failing a call",
		Long: `End the hubs of the fleet on a host, without failing a call.

The hubs take no new calls and answer those in flight, for at most 12 seconds. Then each hub
stops its servers, gives their leases to other hubs, and its process ends. SIGTERM and
systemctl stop do the same. The hub of this host's shared servers is ended by hub stop.

HOST is the name of the machine as status fleet shows it. The credentials of "fleet" need the
permissions of the role hub. The command returns when the hubs have left the fleet.`,
		Args: app.Takes("HOST"),
		RunE: func(c *cobra.Command, args []string) error { return o.drain(c.Context(), args[0]) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the hubs as JSON")
	return c
}

// DrainedHubs is the output of hub drain with --json.
type DrainedHubs struct {
	Host string   `json:"host"`
	Hubs []string `json:"hubs"` // ids of the hubs
}

func (o *report) drain(ctx context.Context, host string) error {
	at, err := FleetAddress(o.App)
	if err != nil {
		return err
	}
	over := o.Waiting("waiting for calls in flight")
	hubs, err := cluster.Drain(ctx, at, host)
	over()
	if err != nil {
		return err
	}
	if o.form.Structured() {
		out := DrainedHubs{Host: host}
		for _, h := range hubs {
			out.Hubs = append(out.Hubs, h.Hub)
		}
		return o.form.Write(o.Stdout, out)
	}
	return o.Print("Hubs on %s that have left the fleet: %d", host, len(hubs))
}
