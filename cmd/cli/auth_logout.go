package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
)

func newAuthLogout(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout SERVER",
		Short: "End the login at an MCP server",
		Long: `End the login at an MCP server: its tokens, which the authorization server is
asked to revoke, and the registration of this client. The server need not be
configured any more.`,
		Args: takes("SERVER"),
		RunE: func(c *cobra.Command, args []string) error { return a.logout(c.Context(), args[0]) },
	}
}

func (a *app) logout(ctx context.Context, name string) error {
	session, err := a.storedLogin(name)
	if err != nil {
		return err
	}
	ended, err := session.Forget(ctx)
	if err != nil {
		return err
	}
	if !ended.Found {
		return a.print("Not logged in at '%s'.", name)
	}
	if ended.Unrevoked != nil {
		a.warn("the tokens are forgotten here, and may count elsewhere until they expire: %v", ended.Unrevoked)
	}
	return a.print("✓ Logged out of '%s'.", name)
}

// storedLogin is the login of a file. The configuration adds the secret of a
// client that is registered beforehand, if it still names the same server.
func (a *app) storedLogin(name string) (*oauth.Session, error) {
	store, err := a.loginStore()
	if err != nil {
		return nil, err
	}
	known, _ := store.Load(name) // a file that cannot be read can be forgotten all the same
	o := oauth.Options{Server: name, URL: known.URL, Store: store, Logger: a.logger(slog.LevelWarn)}
	if loaded, err := a.load(false); err == nil {
		c := loaded.Servers[name]
		if c.Type != mcpclient.Stdio && c.Problem == nil && c.URL == known.URL {
			o.Config = c.OAuth
		}
	}
	return oauth.New(o)
}
