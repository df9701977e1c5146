package cli

import (
	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/form"
)

type gatewayPruneOptions struct {
	*app
	form form.Form
}

func newGatewayPrune(a *app) *cobra.Command {
	o := &gatewayPruneOptions{app: a}
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove the entries of gateways that were killed",
		Args:  takes(),
		RunE:  func(*cobra.Command, []string) error { return o.run() },
	}
	form.Add(c.Flags(), &o.form, "print the removed entries as JSON")
	return c
}

func (o *gatewayPruneOptions) run() error {
	folder, err := o.target.Folder()
	if err != nil {
		return err
	}
	ended, err := folder.Prune()
	if err != nil {
		return err
	}
	results := make([]stoppedGateway, 0, len(ended))
	for _, e := range ended {
		results = append(results, stoppedGateway{URL: e.Address(), PID: e.PID})
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, results)
	}
	for _, r := range results {
		if err := o.print("Removed the entry of %s (PID %d)", r.URL, r.PID); err != nil {
			return err
		}
	}
	if len(results) == 0 {
		return o.print("There was nothing to remove")
	}
	return nil
}
