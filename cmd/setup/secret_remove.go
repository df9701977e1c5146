package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/naming"
)

// RemovedSecret is the output of secret remove with --json.
type RemovedSecret struct {
	Name    string   `json:"name"`
	Servers []string `json:"servers"` // servers that had the secret
}

func newSecretRemove(a *app.App) *cobra.Command {
	var out terminal.Form
	c := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a secret",
		Long: `Remove a secret, and which servers get it. Running gateways stop the servers that refer
to it.`,
		Args: app.Takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error { return removeSecret(c.Context(), a, args[0], out) },
	}
	terminal.AddForm(c.Flags(), &out, "print what was removed as JSON")
	return c
}

func removeSecret(ctx context.Context, a *app.App, name string, out terminal.Form) error {
	store, err := secretStore(a)
	if err != nil {
		return err
	}
	removed, found, err := store.Remove(ctx, name)
	if err != nil {
		return err
	}
	if !found {
		return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no secret %.100q%s; see: toolscript secret list",
			name, naming.DidYouMean(naming.Nearest(name, SecretNames(a), 1)))}
	}
	if out.Structured() {
		err = out.Write(a.Stdout, RemovedSecret{name, serversOf(removed)})
	} else {
		err = a.Print("removed %s", name)
	}
	return errors.Join(err, reloadHolders(ctx, a, removed))
}
