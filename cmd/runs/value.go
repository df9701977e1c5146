package runs

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type outputOptions struct {
	*app.App
	value bool
	task  string
	bytes string
	out   string
	form  terminal.Form
}

// NewOutput returns the command output.
func NewOutput(a *app.App) *cobra.Command {
	o := &outputOptions{App: a}
	c := &cobra.Command{
		Use:   "output RUN | HANDLE",
		Short: "Print the output or the value of a run that exceeded a limit",
		Long: `Print the output or the value of a run that exceeded a limit.

If output or a value exceeds its limit, or binary data of a value was replaced by
descriptors, the gateway stores the whole: for the last 200 such runs, up to 32 MB each.

HANDLE is the handle of a descriptor, such as run_0123456789abcdef#/0. --out writes the
bytes of its data. If a value is a single image or other binary content, --out writes
the bytes of that.`,
		Example: `  toolscript output run_0123456789abcdef --range 0-9999
  toolscript output run_0123456789abcdef --value | jq .
  toolscript output 'run_0123456789abcdef#/0' --value --out screenshot.png`,
		Args: app.Takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().BoolVar(&o.value, "value", false, "print the value, not the output")
	c.Flags().StringVar(&o.task, "task", "", "print the result of this task of the script of an answer, by its `id`")
	c.Flags().StringVar(&o.bytes, "range", "", "print only these `bytes`, such as 0-9999 or 10000- (default all)")
	c.Flags().StringVar(&o.out, "out", "", "write to this `file` instead of stdout; for binary content, write its bytes")
	terminal.AddForm(c.Flags(), &o.form, "print the text as a string inside JSON")
	return c
}

func (o *outputOptions) run(ctx context.Context, id string) error {
	id, pointer, handle := strings.Cut(id, "#")
	q := toolscript.OutputQuery{Value: o.value || handle, Task: o.task}
	if err := q.ParseRange(o.bytes); err != nil {
		return &app.UsageError{Command: "toolscript output", Err: err}
	}
	kept, err := o.kept(ctx, id, q)
	if err != nil {
		return err
	}
	if handle || o.out != "" && q.Value && o.bytes == "" {
		if kept, err = terminal.ValueFile(kept, pointer, handle); err != nil {
			return err
		}
	}
	if o.out != "" {
		return os.WriteFile(o.Absolute(o.out), kept, 0o600)
	}
	if handle && terminal.Is(o.Stdout) {
		return errors.New("this is binary data; write it to a file with --out FILE")
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, struct {
			RunID string `json:"runId"`
			Data  string `json:"data"` // the value as JSON, or the output
		}{id, string(kept)})
	}
	out := terminal.Filter(o.Stdout)
	_, err = out.Write(kept)
	return errors.Join(err, out.Close())
}

// kept returns the output of a run from the gateway, else from the data folder, where runs without a gateway
// store their output.
func (o *outputOptions) kept(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	g, err := o.Target.Find(ctx)
	if err != nil && o.Target.URL != "" {
		return nil, err
	}
	if g != nil {
		defer g.Close()
		kept, err := g.RunOutput(ctx, id, q)
		if toolscript.KindOf(err) != toolscript.NotFound {
			return kept, err
		}
	}
	return o.Host.Outputs().Read(id, q)
}
