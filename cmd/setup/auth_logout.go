package setup

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/oauth"
)

func newAuthLogout(a *app.App) *cobra.Command {
	var out terminal.Form
	var trust bool
	var account string
	c := &cobra.Command{
		Use:   "logout SERVER",
		Short: "End the login at an MCP server",
		Long: `End the login at an MCP server. The command asks the authorization server to
revoke the tokens, and deletes the tokens and the registration of this client. The
server and the account may be missing in the configuration.`,
		Args: app.Takes("SERVER"),
		RunE: func(c *cobra.Command, args []string) error {
			name := args[0]
			if account != "" {
				name += toolscript.AccountSeparator + account
			} else if _, accounts, err := accountOf(a, name, "", trust); err == nil && len(accounts) > 0 && !stored(a, name) {
				return severalAccounts(name, accounts, "")
			}
			return logout(c.Context(), a, name, out, trust)
		},
	}
	addAccount(c, a, &account)
	terminal.AddForm(c.Flags(), &out, "print what was ended as JSON")
	app.AddTrust(c.Flags(), &trust)
	return c
}

func logout(ctx context.Context, a *app.App, name string, out terminal.Form, trust bool) error {
	session, err := storedLogin(a, name, trust)
	if err != nil {
		return err
	}
	ended, err := session.Forget(ctx)
	if err != nil {
		return err
	}
	if out.Structured() {
		unrevoked := ""
		if ended.Unrevoked != nil {
			unrevoked = ended.Unrevoked.Error()
		}
		return out.Write(a.Stdout, struct {
			Server    string `json:"server"`
			LoggedOut bool   `json:"loggedOut"`           // false: there was no login
			Unrevoked string `json:"unrevoked,omitempty"` // why the tokens may be valid elsewhere until they expire
		}{name, ended.Found, unrevoked})
	}
	if !ended.Found {
		return a.Print("Not logged in at %s", name)
	}
	if ended.Unrevoked != nil {
		a.Warn("the tokens are deleted here, and may be valid elsewhere until they expire: %v", ended.Unrevoked)
	}
	return a.Print("Logged out of %s", name)
}

// stored reports whether there is a login for a name.
func stored(a *app.App, name string) bool {
	store, err := a.Host.LoginStore()
	if err != nil {
		return false
	}
	known, err := store.Load(name)
	return err == nil && known.URL != ""
}

// storedLogin returns the stored login of a server. If the configuration has the server with the same URL,
// its OAuth settings are used, such as the secret of a client that was registered in advance.
func storedLogin(a *app.App, name string, trust bool) (*oauth.Session, error) {
	store, err := a.Host.LoginStore()
	if err != nil {
		return nil, err
	}
	known, _ := store.Load(name) // a login that cannot be read can be deleted, too
	o := oauth.Options{Server: name, URL: known.URL, Store: store, Logger: a.Logger(slog.LevelWarn)}
	if loaded, err := a.Host.Load(trust); err == nil {
		c := loaded.Servers[name]
		if !c.Local() && c.Problem == nil && c.URL == known.URL {
			o.Config = c.OAuth
		}
	}
	return oauth.New(o)
}
