package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/rawjson"
)

func newSecretSet(a *app.App) *cobra.Command {
	var out terminal.Form
	var to secretTargets
	c := &cobra.Command{
		Use:   "set NAME",
		Short: "Store a secret",
		Long: `Store a secret. At a terminal the command asks for the value and does not show it;
else it reads standard input, without the newline at its end.

A server refers to the secret with ${secret:NAME} in its env or headers. --for says which
server gets it, as it is defined now. If the definition changes, or another file defines a
server of that name, that server gets nothing until you confirm it: toolscript secret
confirm. Without --for, the servers that had the secret before still get it. Running
gateways connect these servers again.`,
		Example: `  toolscript secret set GITHUB_TOKEN --for github
  gh auth token | toolscript secret set GITHUB_TOKEN --for github`,
		Args: takesSecretName,
		RunE: func(c *cobra.Command, args []string) error { return setSecret(c.Context(), a, args[0], &to, out) },
	}
	to.add(c)
	terminal.AddForm(c.Flags(), &out, "print what was stored as JSON, without the value")
	return c
}

// takesSecretName accepts the name of a secret. Its errors do not quote the arguments, which may be the value
// of a secret.
func takesSecretName(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return &app.UsageError{Command: c.CommandPath(), Err: errors.New("missing argument: NAME")}
	case len(args) > 1:
		return &app.UsageError{Command: c.CommandPath(), Err: errors.New("the value is not an argument, because other programs see arguments; type it, or pipe it to the command")}
	}
	if err := secrets.CheckName(args[0]); err != nil {
		return &app.UsageError{Command: c.CommandPath(), Err: err}
	}
	return nil
}

func setSecret(ctx context.Context, a *app.App, name string, to *secretTargets, out terminal.Form) error {
	store, err := secretStore(a)
	if err != nil {
		return err
	}
	allowed, err := bindings(ctx, a, to)
	if err != nil {
		return err
	}
	value, err := secretValue(ctx, a, name)
	if err != nil {
		return err
	}
	saved, changed, err := saveSecret(ctx, store, secrets.New{Name: name, Value: value, Storage: to.storage.Value, Allowed: allowed})
	if err != nil {
		return err
	}
	if out.Structured() {
		err = out.Write(a.Stdout, saved)
	} else {
		err = a.Print("%s", saved.text())
	}
	return errors.Join(err, reloadHolders(ctx, a, changed...))
}

// secretValue reads a value from the terminal, or from standard input.
func secretValue(ctx context.Context, a *app.App, name string) (string, error) {
	if terminal.Is(a.Stdin) {
		value, err := terminal.AskSecret(ctx, a.Stdin, a.Stderr, "Value of "+name+": ")
		if errors.Is(err, terminal.ErrNoAnswer) {
			err = errors.New("no value was given; nothing is stored")
		}
		if strings.HasPrefix(value, "-----BEGIN ") {
			err = fmt.Errorf("the value begins a key of several lines, and a terminal gives one; nothing is stored; run: %s < FILE", toolscript.Command("secret", "set", name))
		}
		return value, err
	}
	text, err := a.Input(ctx, a.Stdin, secrets.MaxValue+6) // with a byte order mark and a line end; a longer one is refused
	if err != nil {
		return "", fmt.Errorf("read the value from standard input: %w", err)
	}
	text = rawjson.TrimMark(text) // editors on Windows write it
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}
