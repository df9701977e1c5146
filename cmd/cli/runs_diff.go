package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/form"
	"github.com/toolscript/toolscript/cmd/runhistory"
	"github.com/toolscript/toolscript/cmd/terminal"
)

func newRunsDiff(a *app) *cobra.Command {
	var out form.Form
	c := &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Compare two runs: script, calls, arguments, results and outcome",
		Long: `Compare two runs: script, calls, arguments, results and outcome.

The audit has hashes, so the differences are named and not shown. The exit code is 4 if
there is one.`,
		Args: takes("RUN", "RUN"),
		RunE: func(c *cobra.Command, args []string) error { return a.diffRuns(c.Context(), args[0], args[1], out) },
	}
	form.Add(c.Flags(), &out, "print the differences as JSON")
	return c
}

func (a *app) diffRuns(ctx context.Context, one, other string, out form.Form) error {
	h, err := a.history(ctx)
	if err != nil {
		return err
	}
	first, err := h.Run(one)
	if err != nil {
		return err
	}
	second, err := h.Run(other)
	if err != nil {
		return err
	}
	found := runhistory.Diff(first, second)
	if out.Structured() {
		err = out.Write(a.Stdout, found)
	} else if len(found) == 0 {
		err = a.print("the same script, %d equal calls and the same outcome", first.Calls)
	} else {
		t := terminal.Table{Header: []string{"Call", "What", one, other}}
		for _, d := range found {
			t.Add(d.Call, d.What, d.First, d.Second)
		}
		err = t.Write(a.Stdout, terminal.Columns(a.Stdout), nil)
	}
	if err == nil && len(found) > 0 {
		err = &exit.Error{Code: exit.Diverged}
	}
	return err
}
