package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution/outputs"
	"github.com/toolscript/toolscript/cmd/config"
)

type outputOptions struct {
	*app
	value bool
	bytes string
}

func newOutput(a *app) *cobra.Command {
	o := &outputOptions{app: a}
	c := &cobra.Command{
		Use:   "output RUN",
		Short: "Print what a run was not allowed to print or return",
		Long: `Print what a run was not allowed to print or return.

Console output over its limit is cut, and a value over its limit is not printed
at all. Both are kept for a while: the last 200 of them, up to 32 MB each.`,
		Example: `  toolscript output run_0123456789abcdef --range 0-9999
  toolscript output run_0123456789abcdef --value | jq .`,
		Args: takes("RUN"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().BoolVar(&o.value, "value", false, "print the value, not the output")
	c.Flags().StringVar(&o.bytes, "range", "", "print only these `bytes` of what is kept, as 0-9999 or 10000-")
	return c
}

func (o *outputOptions) run(ctx context.Context, id string) error {
	q := toolscript.OutputQuery{Value: o.value}
	if err := q.ParseRange(o.bytes); err != nil {
		return &usageError{"toolscript output", err}
	}
	kept, err := o.kept(ctx, id, q)
	if err != nil {
		return err
	}
	_, err = o.Stdout.Write(kept)
	return err
}

// kept asks the gateway, and else looks into the data folder: that is where runs
// without a gateway leave what they keep.
func (o *outputOptions) kept(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	g, err := o.reach(ctx)
	if err != nil && o.gatewayURL != "" {
		return nil, err
	}
	if g != nil {
		defer g.Close()
		kept, err := g.RunOutput(ctx, id, q)
		if toolscript.KindOf(err) != toolscript.NotFound {
			return kept, err
		}
	}
	return o.outputs().Read(id, q)
}

// outputs is where what is over its limits is kept; without a usable data folder
// nothing is.
func (a *app) outputs() outputs.Store {
	data, err := config.DataDir(a.config(false))
	if err != nil {
		return outputs.Store{}
	}
	return outputs.Store{Dir: filepath.Join(data, "outputs")}
}

// keepValue keeps a value that could not be written where it was wanted, and says
// what was wrong and where it is now.
func (a *app) keepValue(runID string, value []byte, why error) error {
	if err := a.outputs().Put(runID, outputs.Value, value); err != nil {
		return &keptError{why, "it is lost: " + withoutPath(err)}
	}
	return &keptError{why, "read it with: toolscript output " + runID + " --value"}
}

// keptError is why a value is not where it was wanted.
type keptError struct {
	err    error
	handle string
}

func (e *keptError) Error() string {
	return "the value could not be written: " + e.err.Error() + "; " + e.handle
}
func (e *keptError) Unwrap() error { return e.err }
