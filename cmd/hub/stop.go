package hub

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

func newHubStop(a *app.App) *cobra.Command {
	o := &report{App: a}
	c := &cobra.Command{
		Use:   "stop",
		Short: "Stop the hub and the shared servers",
		Long: `Stop the hub and the shared servers.

The hub answers its calls in flight, for at most 12 seconds, and takes no new ones. A gateway
with a shared server starts another hub when it needs it. The command returns when the hub has
ended.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.stop(c.Context()) },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the stopped hub as JSON")
	return c
}

// StoppedHub is the output of hub stop with --json.
type StoppedHub struct {
	Stopped bool `json:"stopped"` // false: no hub has run
	PID     int  `json:"pid,omitempty"`
}

func (o *report) stop(ctx context.Context) error {
	place, err := PlaceOf(o.App)
	if err != nil {
		return err
	}
	e, running, err := place.Read()
	if err != nil {
		return err
	}
	if running {
		over := o.Waiting("stopping the hub")
		err = place.Stop(ctx, e)
		over()
		if err != nil {
			return err
		}
	}
	switch {
	case o.form.Structured():
		return o.form.Write(o.Stdout, StoppedHub{Stopped: running, PID: e.PID})
	case running:
		return o.Print("Stopped the hub (PID %d)", e.PID)
	default:
		return o.Print("No hub runs")
	}
}
