package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/internal/naming"
)

// NewSecret returns the command secret.
func NewSecret(a *app.App) *cobra.Command {
	return app.Group("secret", "Store secrets of servers, and confirm which servers get them",
		newSecretSet(a), newSecretList(a), newSecretConfirm(a), newSecretImport(a), newSecretRemove(a))
}

// secretTargets are the flags of the commands that store secrets.
type secretTargets struct {
	servers []string
	storage app.Choice
	command *cobra.Command
}

func (t *secretTargets) add(c *cobra.Command) {
	t.command = c
	c.Flags().StringSliceVar(&t.servers, "for", nil, "the `servers` that get it, as they are defined now, separated by commas")
	t.storage = app.Choice{Choices: []string{secrets.Keyring, secrets.File}}
	c.Flags().Var(&t.storage, "storage", "where the value is: the keyring of the desktop, or an encrypted file (default the keyring if there is one)")
}

func secretStore(a *app.App) (secrets.Store, error) {
	return config.SecretStore(a.Host.ConfigOptions(false))
}

// readSecrets returns the present content of the secret store.
func readSecrets(a *app.App) (*secrets.Book, error) {
	store, err := secretStore(a)
	if err != nil {
		return nil, err
	}
	return store.Read()
}

// bindings returns the present definitions of the servers of --for; nil without --for. A person confirms the
// definitions in a project's file, and in a file that a variable names, because a project may have set the
// variable.
func bindings(ctx context.Context, a *app.App, t *secretTargets) ([]secrets.Binding, error) {
	if len(t.servers) == 0 {
		return nil, nil
	}
	o := a.Host.ConfigOptions(false)
	o.Identify, o.NoValues = true, true
	loaded, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	var found []secrets.Binding
	for _, server := range t.servers {
		id, err := identityOf(loaded, server)
		if err != nil {
			return nil, err
		}
		if id.Project || id.Named && !app.Typed(t.command.Flag("config")) {
			if err := confirmIdentity(ctx, a, server, id); err != nil {
				return nil, err
			}
		}
		found = append(found, secrets.Binding{Server: server, File: id.File, Identity: id.Hash})
	}
	return found, nil
}

// identityOf returns the identity of the definition of a server that has effect.
func identityOf(loaded *config.Config, server string) (config.Identity, error) {
	id, ok := loaded.Identities[server]
	names := slices.Sorted(maps.Keys(loaded.Servers))
	i := slices.IndexFunc(names, func(name string) bool { return name != server && toolscript.WithoutAccount(name) == server })
	switch {
	case ok:
		return id, nil
	case i >= 0:
		return id, &toolscript.Error{Kind: toolscript.Invalid, Server: server, Err: fmt.Errorf(
			"server %s has the accounts %s; name one with --for, such as %s", server, strings.Join(loaded.Servers[names[i]].Accounts, ", "), names[i])}
	case slices.Contains(loaded.Untrusted, server):
		return id, &toolscript.Error{Kind: toolscript.Forbidden, Server: server, Err: errors.New("not trusted, so it gets no secrets; run: toolscript trust")}
	default:
		return id, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf(
			"no configuration file here defines a server %.80q%s; without --for, the secret is stored for the server that you confirm later", server, naming.DidYouMean(naming.Nearest(server, names, 3)))}
	}
}

// SavedSecret describes a secret that was stored.
type SavedSecret struct {
	Name     string   `json:"name"`
	Storage  string   `json:"storage"`
	Replaced bool     `json:"replaced"` // a secret of this name existed
	Servers  []string `json:"servers"`  // servers that get the secret
	Lost     []string `json:"lost"`     // servers that got the secret before, and no longer get it
}

// saveSecret stores a secret. changed has the secret as it was and as it is: the caller reloads the servers
// of both.
func saveSecret(ctx context.Context, store secrets.Store, n secrets.New) (saved SavedSecret, changed []secrets.Secret, err error) {
	book, err := store.Read()
	if err != nil {
		return saved, nil, err
	}
	before, _ := book.Find(n.Name)
	stored, replaced, err := store.Set(ctx, n)
	saved = SavedSecret{n.Name, stored.Storage, replaced, serversOf(stored), []string{}}
	for _, server := range serversOf(before) {
		if !slices.Contains(saved.Servers, server) {
			saved.Lost = append(saved.Lost, server)
		}
	}
	return saved, []secrets.Secret{before, stored}, err
}

// serversOf returns the sorted names of the servers that may have a secret.
func serversOf(s secrets.Secret) []string {
	names := []string{}
	for _, b := range s.Allowed {
		names = append(names, b.Server)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// text returns the line that tells the user about a stored secret.
func (s SavedSecret) text() string {
	verb, where := "stored", "the keyring"
	if s.Replaced {
		verb = "replaced"
	}
	if s.Storage == secrets.File {
		where = "the encrypted file"
	}
	whose := "a server that refers to it gets it when you confirm that: toolscript secret confirm"
	if len(s.Servers) > 0 {
		whose = "for " + strings.Join(s.Servers, ", ")
	}
	if len(s.Lost) > 0 {
		whose += ", and no longer for " + strings.Join(s.Lost, ", ")
	}
	return fmt.Sprintf("%s %s in %s; %s", verb, s.Name, where, whose)
}

// reloadHolders reloads the running gateways whose servers get one of the secrets.
func reloadHolders(ctx context.Context, a *app.App, changed ...secrets.Secret) error {
	var files []string
	for _, s := range changed {
		for _, b := range s.Allowed {
			files = append(files, b.File)
		}
	}
	return a.ReloadUsersOf(ctx, files)
}

// SecretNames returns the names of the stored secrets.
func SecretNames(a *app.App) (names []string) {
	book, err := readSecrets(a)
	if err != nil {
		return nil
	}
	for _, s := range book.List() {
		names = append(names, s.Name)
	}
	return names
}
