package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type importOptions struct {
	app.ChangeOptions
	from    string
	secrets bool
	command *cobra.Command
}

func newConfigImport(a *app.App) *cobra.Command {
	o := &importOptions{ChangeOptions: app.ChangeOptions{App: a}}
	c := &cobra.Command{
		Use:   "import",
		Short: "Take over the MCP servers of other clients",
		Long: `Take over the MCP servers that other MCP clients have configured:
` + inLines(clients.Names()) + `.

The servers of a project's files, such as .mcp.json, go into the project's
.toolscript.json, which needs your trust. Those of the user go into
~/.toolscript.json, or into the file of --config. The change is shown first.
A token in clear text is not copied: the file gets ${NAME}, and the output names the
variable to set. With --secrets, tokens are stored by toolscript, and the file gets
${secret:NAME} where a secret is possible: in environments, headers and addresses.
Servers that are configured already stay as they are, and servers that a client has
disabled are left out.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Undo {
				return o.TakeBack(c.Context(), "import")
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.from, "from", "", "only of this `client` of those above")
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	c.Flags().BoolVar(&o.secrets, "secrets", false, "store tokens in the secret store (${secret:NAME}); see toolscript secret")
	o.AddFlags(c)
	o.command = c
	return c
}

func (o *importOptions) run(ctx context.Context) error {
	again := "toolscript config import"
	if o.from != "" {
		again += " --from " + o.from
	}
	var store func(string) bool
	if o.secrets {
		var err error
		if store, err = storedNames(o.App); err != nil {
			return err
		}
	}
	plan, err := importPlan(&o.ChangeOptions, o.from, store)
	if err != nil {
		return err
	}
	if plan.Keepable {
		plan.Notes = append(plan.Notes, "toolscript can store the tokens itself: "+again+" --secrets")
	}
	if o.secrets {
		again += " --secrets"
	}
	if len(plan.Changes) == 0 {
		o.Say("%s", plan.Nothing())
	}
	result, err := o.Change(ctx, "import", again+" --yes", plan)
	if err == nil && result.Written {
		err = o.storeSecrets(ctx, plan)
	}
	if err == nil && o.Form.Structured() {
		err = o.Form.Write(o.Stdout, result)
	}
	return err
}

// inLines wraps a list of names for a help text.
func inLines(names []string) string {
	return strings.Join(terminal.Wrap(strings.Join(names, ", "), 88), "\n")
}

// storedNames returns a function that reports whether the secret store has a name.
func storedNames(a *app.App) (func(name string) bool, error) {
	book, err := readSecrets(a)
	return func(name string) bool {
		_, found := book.Find(name)
		return found
	}, err
}

// storeSecrets stores the secrets of an import that was written. Servers of a project's file get them only
// after a person has confirmed that.
func (o *importOptions) storeSecrets(ctx context.Context, plan *clients.Import) error {
	if len(plan.Secrets) == 0 {
		return nil
	}
	store, err := secretStore(o.App)
	if err != nil {
		return err
	}
	var changed []secrets.Secret
	for i, s := range plan.Secrets {
		if slices.ContainsFunc(plan.Secrets[:i], func(other clients.Secret) bool { return other.Name == s.Name }) {
			continue
		}
		to := secretTargets{command: o.command}
		for _, other := range plan.Secrets {
			if other.Name == s.Name && !plan.InProject(other.Server) && !slices.Contains(to.servers, other.Server) {
				to.servers = append(to.servers, other.Server)
			}
		}
		allowed, err := bindings(ctx, o.App, &to)
		if err != nil {
			return notStored(s, err)
		}
		saved, both, err := saveSecret(ctx, store, secrets.New{Name: s.Name, Value: s.Value, Allowed: allowed})
		if err != nil {
			return notStored(s, err)
		}
		changed = append(changed, both...)
		o.Say("%s", saved.text())
	}
	return reloadHolders(ctx, o.App, changed...)
}

func notStored(s clients.Secret, err error) error {
	return fmt.Errorf("the servers are written, and the secret %s is not stored: %w; then run: %s", s.Name, err, toolscript.Command("secret", "set", s.Name, "--for", s.Server))
}

// importPlan returns the change that imports the servers of one client, or of all if from is empty. store
// reports whether the secret store has a name; if store is nil, tokens become variables.
func importPlan(o *app.ChangeOptions, from string, store func(string) bool) (*clients.Import, error) {
	var client *clients.Client
	if from != "" {
		var err error
		if client, err = clients.Find(from, clients.Names()); err != nil {
			return nil, &app.UsageError{Command: "toolscript config import", Err: errors.New(err.Error())}
		}
	}
	places, targets, err := o.Where()
	if err != nil {
		return nil, err
	}
	return clients.Plan(places, targets, clients.Options{From: client, Store: store})
}
