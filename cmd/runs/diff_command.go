package runs

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

func newRunsDiff(a *app.App) *cobra.Command {
	var out terminal.Form
	var identity string
	c := &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Compare two runs: script, calls, arguments, results and outcome",
		Long: `Compare two runs: script, calls, arguments, results and outcome.

The audit has hashes, so the differences are named. If both runs are recorded with
exec --record, the lines that differ are shown too, without credentials of known forms.
The exit code is 4 if there is a difference.`,
		Args: app.Takes("RUN", "RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			return diffRuns(c.Context(), a, args[0], args[1], identity, out)
		},
	}
	c.Flags().StringVar(&identity, "identity", "", "the `file` with the private key of age, for encrypted recordings")
	terminal.AddForm(c.Flags(), &out, "print the differences as JSON")
	return c
}

func diffRuns(ctx context.Context, a *app.App, one, other, identity string, out terminal.Form) error {
	h, err := history(ctx, a)
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
	found := Diff(first, second)
	if first.Recorded && second.Recorded {
		addText(a, found, one, other, identity)
	}
	if out.Structured() {
		err = out.Write(a.Stdout, found)
	} else if len(found) == 0 {
		err = a.Print("the same script, %d equal calls and the same outcome", first.Calls)
	} else {
		t := terminal.Table{Header: []string{"Call", "What", one, other}}
		for _, d := range found {
			t.Add(d.Call, d.What, d.First, d.Second)
		}
		err = t.Write(a.Stdout, terminal.Columns(a.Stdout), nil)
		for _, d := range found {
			if d.Text != "" && err == nil {
				err = a.Print("\n%s:\n%s", subject(d), strings.TrimSuffix(d.Text, "\n"))
			}
		}
	}
	if err == nil && len(found) > 0 {
		err = &app.Error{Code: app.Diverged}
	}
	return err
}

// addText adds to found the lines in which two recordings differ. If a recording cannot be read, it only
// warns, because found already has the differences of the audit.
func addText(a *app.App, found []Difference, one, other, identity string) {
	store, err := a.Host.Recordings(nil)
	if err != nil {
		a.Warn("%s", err)
		return
	}
	first, err := store.Load(one, a.Absolute(identity))
	if err != nil {
		a.Warn("%s", err)
		return
	}
	second, err := store.Load(other, a.Absolute(identity))
	if err != nil {
		a.Warn("%s", err)
		return
	}
	AddTextDifferences(found, first, second)
}

// subject names what a difference is about.
func subject(d Difference) string {
	if d.Call == "" || d.What == "call" {
		return strings.TrimSpace(d.What + " " + d.Call)
	}
	return d.What + " of call " + d.Call
}
