package runs

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type runsOutputOptions struct {
	*exec.Options
	follow bool
	form   terminal.Form
}

func newRunsOutput(a *app.App) *cobra.Command {
	o := &runsOutputOptions{Options: exec.NewOptions(a, "toolscript runs output")}
	c := &cobra.Command{
		Use:   "output RUN",
		Short: "Print the output and the value of a detached run",
		Long: `Print the output and the value of a run of exec --detach, as exec would have printed
them. If the run has not ended, print its output so far; --follow also prints what comes,
and ends with the run. Ctrl-C ends the command and not the run.

The output of the last 200 detached runs is kept for 7 days, even after the gateway
has ended. With --follow, the exit code is that of the run.`,
		Example: `  toolscript runs output run_0123456789abcdef --follow`,
		Args:    app.Takes("RUN"),
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "print the output until the run ends")
	f.StringVar(&o.Out, "out", "", "write the value to this `file` instead of stdout, or the bytes of an image; if it is a folder (DIR/), write the images and files of the value there, and print their names")
	f.Var(&o.MaxTokens, "max-tokens", "print about this much of the value, and the command that prints the rest; 0 prints the whole value (default 10000 on a terminal, else no limit)")
	terminal.AddForm(f, &o.form, "print the end of the run as JSON with the output")
	return c
}

func (o *runsOutputOptions) run(ctx context.Context, id string) error {
	if err := o.CheckFiles(); err != nil {
		return err
	}
	captured := exec.NewCaptured(o.Stdout, o.Printer())
	out := exec.Output(captured)
	if !o.form.Structured() {
		out = exec.Noted(o.App, exec.LiveOutput(o.App, o.Printer(), nil))
	}
	ended := false
	err := runEvents(ctx, o.App, id, o.follow, func(e toolscript.Event) error {
		ended = e.Type == toolscript.EventEnd
		return out.Event(e)
	})
	switch signal := app.Interrupted(ctx); {
	case signal != nil:
		return signal
	case toolscript.KindOf(err) == toolscript.NotFound:
		return err
	case err == nil && !ended && o.form.Structured():
		return captured.SoFar(id)
	case err == nil && !ended:
		return o.unfinished(id, out)
	}
	var failed *app.Error
	if err = out.Finish(err); !o.follow && errors.As(err, &failed) {
		return nil // the run has failed, and this command has not
	}
	return err
}

// errUnfinished is the reason why there is no end of a run to print.
var errUnfinished = errors.New("the run has not ended")

func (o *runsOutputOptions) unfinished(id string, out exec.Output) error {
	if err := out.Finish(errUnfinished); !errors.Is(err, errUnfinished) {
		return err
	}
	o.Say("toolscript: %s has not ended; wait for it with --follow", id)
	return nil
}

// runEvents reads the events of a detached run: from the gateway that the user names, else from the data
// folder, which all gateways of the user share.
func runEvents(ctx context.Context, a *app.App, id string, wait bool, emit func(toolscript.Event) error) error {
	if a.Target.URL == "" {
		return a.Host.DetachedRuns().Follow(ctx, id, wait, emit)
	}
	g, err := a.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.RunEvents(ctx, id, wait, emit)
}
