package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// ImportedSecrets is the output of secret import with --json.
type ImportedSecrets struct {
	Stored  []SavedSecret   `json:"stored"`
	LeftOut []leftOutSecret `json:"leftOut"`
}

// leftOutSecret is a variable that was not stored.
type leftOutSecret struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func newSecretImport(a *app.App) *cobra.Command {
	var out terminal.Form
	var to secretTargets
	c := &cobra.Command{
		Use:   "import FILE [NAME...]",
		Short: "Store the variables of a .env file as secrets",
		Long: `Store the variables of a .env file as secrets: all of them, or those that are named.
FILE - is standard input. A value is taken as it is written: a $ is a part of it. Values
that cannot be secrets are left out, such as those of less than 8 bytes. The file is not
changed; delete it when you do not need it any more.`,
		Example: "  toolscript secret import .env GITHUB_TOKEN --for github",
		RunE: func(c *cobra.Command, args []string) error {
			return importSecrets(c.Context(), a, args[0], args[1:], &to, out)
		},
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return app.Takes("FILE")(c, args)
	}
	to.add(c)
	terminal.AddForm(c.Flags(), &out, "print what was stored as JSON, without values")
	return c
}

func importSecrets(ctx context.Context, a *app.App, file string, names []string, to *secretTargets, out terminal.Form) error {
	store, err := secretStore(a)
	if err != nil {
		return err
	}
	entries, err := envFile(ctx, a, file)
	if err != nil {
		return err
	}
	if entries, err = selected(entries, names, file); err != nil {
		return err
	}
	allowed, err := bindings(ctx, a, to)
	if err != nil {
		return err
	}
	result := ImportedSecrets{Stored: []SavedSecret{}, LeftOut: []leftOutSecret{}}
	var all []secrets.Secret
	for _, e := range entries {
		if err := secrets.CheckValue(e.Value); err != nil {
			result.LeftOut = append(result.LeftOut, leftOutSecret{e.Name, err.Error()})
			continue
		}
		saved, changed, err := saveSecret(ctx, store, secrets.New{Name: e.Name, Value: e.Value, Storage: to.storage.Value, Allowed: allowed})
		if err != nil {
			return err
		}
		result.Stored, all = append(result.Stored, saved), append(all, changed...)
	}
	return errors.Join(tellImported(a, result, out), reloadHolders(ctx, a, all...))
}

func tellImported(a *app.App, r ImportedSecrets, out terminal.Form) error {
	if out.Structured() {
		return out.Write(a.Stdout, r)
	}
	for _, s := range r.LeftOut {
		a.Warn("%s is not stored: %s", s.Name, s.Reason)
	}
	for _, s := range r.Stored {
		if err := a.Print("%s", s.text()); err != nil {
			return err
		}
	}
	return nil
}

// maxEnvFile bounds a .env file, in bytes.
const maxEnvFile = 1 << 20

func envFile(ctx context.Context, a *app.App, file string) ([]secrets.Entry, error) {
	in := a.Stdin
	if file != "-" {
		file = a.Absolute(file)
		f, err := os.Open(file) //nolint:gosec // G304: the file that the user names
		if err != nil {
			return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: err}
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	text, err := a.Input(ctx, in, maxEnvFile+1)
	if err == nil && len(text) > maxEnvFile {
		err = fmt.Errorf("it is larger than %d KiB", maxEnvFile>>10)
	}
	var entries []secrets.Entry
	if err == nil {
		entries, err = secrets.ParseEnv(text)
	}
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%s: %w", file, err)}
	}
	return entries, nil
}

// selected returns the last entry of each of the names; without names, of each name in entries.
func selected(entries []secrets.Entry, names []string, file string) ([]secrets.Entry, error) {
	last := map[string]secrets.Entry{}
	for _, e := range entries {
		last[e.Name] = e
	}
	for _, name := range names {
		if _, ok := last[name]; !ok {
			return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("%s has no variable %.100q; nothing is stored", file, name)}
		}
	}
	return slices.DeleteFunc(entries, func(e secrets.Entry) bool {
		return last[e.Name].Line != e.Line || len(names) > 0 && !slices.Contains(names, e.Name)
	}), nil
}
