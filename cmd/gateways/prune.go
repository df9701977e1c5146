package gateways

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type gatewayPruneOptions struct {
	*app.App
	form terminal.Form
}

// NewGatewayPrune returns the command gateway prune.
func NewGatewayPrune(a *app.App) *cobra.Command {
	o := &gatewayPruneOptions{App: a}
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove the files of gateways and hubs that have ended",
		Long: `Remove the files that gateways and hubs have left in the runtime folders: the entries of
gateways that were killed, and the files of hubs that have ended. Gateways and hubs that
run, and hubs that start or end at the time, keep theirs.`,
		Args: app.Takes(),
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	terminal.AddForm(c.Flags(), &o.form, "print the removed entries as JSON")
	return c
}

func (o *gatewayPruneOptions) run() error {
	places, err := o.Target.Places()
	if err != nil {
		return err
	}
	ended, paths, err := places.Prune()
	if err != nil {
		return err
	}
	ofHubs, failed := hub.Prune(places)
	results := make([]Pruned, 0, len(ended)+len(paths)+len(ofHubs))
	for _, e := range ended {
		results = append(results, Pruned{URL: e.Address(), PID: e.PID})
	}
	for _, path := range append(paths, ofHubs...) {
		results = append(results, Pruned{Path: path})
	}
	return errors.Join(o.show(results), failed)
}

// Pruned is an entry of a gateway, or another file, that was removed.
type Pruned struct {
	URL  string `json:"url,omitempty"`
	PID  int    `json:"pid,omitempty"`
	Path string `json:"path,omitempty"` // path of a file that is not an entry
}

func (o *gatewayPruneOptions) show(results []Pruned) error {
	if o.form.Structured() {
		return o.form.Write(o.Stdout, results)
	}
	for _, r := range results {
		text := "Removed " + r.Path
		if r.Path == "" {
			text = fmt.Sprintf("Removed the entry of %s (PID %d)", r.URL, r.PID)
		}
		if err := o.Print("%s", text); err != nil {
			return err
		}
	}
	if len(results) == 0 {
		return o.Print("There was nothing to remove")
	}
	return nil
}
