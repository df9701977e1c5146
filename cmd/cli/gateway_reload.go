package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
)

type reloadOptions struct {
	*app
	json bool
}

func newGatewayReload(a *app) *cobra.Command {
	o := &reloadOptions{app: a}
	c := &cobra.Command{
		Use:   "reload",
		Short: "Make the gateway read its configuration again",
		Long: `Make the gateway read its configuration again, as a SIGHUP does.

Servers whose configuration is the same keep their connection, the others are
ended or connected to anew. All settings take effect at once, as far as no flag of
gateway start says otherwise, and a model that could not be had is tried again. A
mistake in a file leaves everything as it was.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print what changed as JSON")
	return c
}

func (o *reloadOptions) run(ctx context.Context) error {
	g, err := o.gateway(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	changed, err := g.Reload(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.Stdout, changed)
	}
	for _, warning := range changed.Warnings {
		o.warn("%s", warning)
	}
	return o.print("%s", reloadWords(changed))
}

// reloadWords is what changed, in one line.
func reloadWords(r toolscript.Reload) string {
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"added", r.Added}, {"removed", r.Removed}, {"changed", r.Changed}} {
		if len(p.names) > 0 {
			parts = append(parts, p.what+" "+strings.Join(p.names, ", "))
		}
	}
	if len(r.Search) > 0 {
		parts = append(parts, "search has another "+strings.Join(r.Search, ", "))
	}
	if len(parts) == 0 {
		parts = append(parts, "no server changed")
	}
	return fmt.Sprintf("Reloaded: %s; %d unchanged", strings.Join(parts, "; "), len(r.Unchanged))
}
