package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/transport/oauth"
)

func newAuthLogout(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout SERVER",
		Short: "Forget the login at an MCP server",
		Long: `Forget the login at an MCP server: its tokens, and the registration of this
client. The server need not be configured any more. What the tokens allow ends
with them at the authorization server, whose account pages can end it at once.`,
		Args: takes("SERVER"),
		RunE: func(c *cobra.Command, args []string) error { return a.logout(c.Context(), args[0]) },
	}
}

func (a *app) logout(ctx context.Context, name string) error {
	store, err := a.loginStore()
	if err != nil {
		return err
	}
	session, err := oauth.New(oauth.Options{Server: name, Store: store, Logger: a.logger(slog.LevelWarn)})
	if err != nil {
		return err
	}
	was, err := session.Forget(ctx)
	if err != nil {
		return err
	}
	if !was {
		return a.print("Not logged in at '%s'.", name)
	}
	return a.print("✓ Logged out of '%s'.", name)
}
