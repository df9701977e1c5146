package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
)

type authOptions struct {
	*app
	server    string
	json      bool
	noBrowser bool
}

func newAuth(a *app) *cobra.Command {
	o := &authOptions{app: a}
	c := &cobra.Command{
		Use:   "auth [SERVER]",
		Short: "Log in at an MCP server with OAuth2",
		Long: `Log in at an MCP server with OAuth2. Without SERVER, show where you are logged in.

The page of the authorization server is opened in your browser, and its address
is printed too. After you have agreed there, the browser comes back to a port of
this machine, for which this command waits five minutes. If the browser is on
another machine, copy the address that it ends at, and paste it here.

No gateway is needed; one that runs connects by itself after the login.`,
		Example: `  toolscript auth
  toolscript auth github
  toolscript auth --no-browser github
  toolscript auth logout github`,
		Args: takes("[SERVER]"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return o.list(c.Context())
			}
			o.server = args[0]
			return o.login(c.Context())
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the table as JSON")
	c.Flags().BoolVar(&o.noBrowser, "no-browser", false, "only print the address")
	c.AddCommand(newAuthLogout(a))
	return c
}

// logins are where the user is logged in. Without a folder for them, they last
// as long as this program does.
func (a *app) logins(logger *slog.Logger) *oauth.Book {
	store, err := a.loginStore()
	if err != nil {
		a.warn("logins are not kept: %v", err)
	}
	return oauth.NewBook(store, logger)
}

// choose finds the server that a command is about.
func (a *app) choose(name string) (mcpclient.Config, error) {
	loaded, err := a.load(false)
	if err != nil {
		return mcpclient.Config{}, err
	}
	config, ok := loaded.Servers[name]
	switch {
	case !ok:
		known := strings.Join(slices.Sorted(maps.Keys(loaded.Servers)), ", ")
		if known == "" {
			known = "none; add it to .toolscript.json"
		}
		return config, fmt.Errorf("there is no server %q; configured are: %s", name, known)
	case config.Problem != nil:
		return config, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: config.Problem}
	case config.Type == mcpclient.Stdio:
		return config, &stdioError{name}
	default:
		return config, nil
	}
}

// stdioError is about a server that nobody logs in at.
type stdioError struct{ server string }

func (e *stdioError) Error() string {
	return fmt.Sprintf("Error: Server '%s' is a stdio server. OAuth2 is only supported for HTTP/SSE servers.", e.server)
}

// login goes the whole way, unless the server lets us in already.
func (o *authOptions) login(ctx context.Context) error {
	config, err := o.choose(o.server)
	if err != nil {
		return err
	}
	store, err := o.loginStore()
	if err != nil {
		return err
	}
	session, err := oauth.New(oauth.Options{
		Server: o.server, URL: config.URL, Config: config.OAuth, Store: store,
		Logger: o.logger(slog.LevelWarn), Progress: o.tell,
	})
	if err != nil {
		return err
	}
	if err := o.print("Starting OAuth authentication for '%s'...", o.server); err != nil {
		return err
	}
	err = o.try(ctx, session, config)
	var needed *oauth.LoginError
	switch {
	case err == nil:
		return o.print("✓ Already authenticated or no authentication required!")
	case errors.As(err, &needed), toolscript.KindOf(err) == toolscript.Unauthorized && !config.OAuth.Machine():
		return o.authorize(ctx, session)
	default:
		return err
	}
}
