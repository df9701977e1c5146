package runs

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

func newRunsAbort(a *app.App) *cobra.Command {
	var out terminal.Form
	c := &cobra.Command{
		Use:   "abort RUN",
		Short: "End a run of the gateway",
		Long: `End a run of the gateway. Its calls in flight are cancelled, and the command or client that
waits for the run gets the error of a cancelled run. If the run has ended, only its
remaining tasks at servers are cancelled.`,
		Args: app.Takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error { return abortRun(c.Context(), a, args[0], out) },
	}
	terminal.AddForm(c.Flags(), &out, "print the run as JSON")
	return c
}

func abortRun(ctx context.Context, a *app.App, id string, out terminal.Form) error {
	g, err := a.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.AbortRun(ctx, id); err != nil {
		return err
	}
	if out.Structured() {
		return out.Write(a.Stdout, struct {
			RunID string `json:"runId"`
		}{id})
	}
	return a.Print("aborted %s", id)
}
