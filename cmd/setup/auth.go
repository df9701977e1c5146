package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/login"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

type authOptions struct {
	*app.App
	server    string
	account   string
	form      terminal.Form
	noBrowser bool
	device    bool
	issuer    string
	trust     bool
}

// NewAuth returns the command auth.
func NewAuth(a *app.App) *cobra.Command {
	o := &authOptions{App: a}
	c := &cobra.Command{
		Use:   "auth [SERVER]",
		Short: "Log in at an MCP server with OAuth2",
		Long: `Log in at an MCP server with OAuth2. Without SERVER, list all logins.

The command opens the page of the authorization server in your browser and prints
its address. After you have agreed, the browser is redirected to a port of this
machine. The command waits five minutes for that. If the browser is on another
machine, copy its last address and paste it here. On a machine without a browser,
--device prints a code that you enter on another device, if the authorization server
offers that. The command does so by itself if no browser can be opened.

The command works without a gateway. A running gateway connects after the login.

The MCP server names its authorization server. If your configuration has a secret
or a key for the server, the command asks you once whether the authorization server
may get it. oauth.issuer in the configuration or --issuer answer this question.

Of a server with several accounts, --account names the one to log in. Without it, the
command takes the only one that needs a login. SERVER@ACCOUNT means the same.`,
		Example: `  toolscript auth
  toolscript auth github
  toolscript auth --account work github
  toolscript auth --no-browser github
  toolscript auth --device github
  toolscript auth logout github`,
		Args: app.Takes("[SERVER]"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && o.account != "":
				return errors.New("--account needs a server: " + toolscript.Command("auth", "SERVER", "--account", o.account))
			case len(args) == 0:
				return o.list(c.Context())
			}
			o.server = args[0]
			if err := o.chooseAccount(c.Context()); err != nil {
				return err
			}
			return o.login(c.Context())
		},
	}
	addAccount(c, a, &o.account)
	terminal.AddForm(c.Flags(), &o.form, "print the table, or the result of a login, as JSON")
	c.Flags().BoolVar(&o.noBrowser, "no-browser", false, "only print the address")
	c.Flags().BoolVar(&o.device, "device", false, "log in with a code on another device")
	c.MarkFlagsMutuallyExclusive("device", "no-browser")
	c.Flags().StringVar(&o.issuer, "issuer", "", "the `url` of the authorization server that may have the secret of the client")
	app.AddTrust(c.Flags(), &o.trust)
	c.AddCommand(newAuthLogout(a))
	return c
}

// choose returns the configuration of the server that a command names. The server must have an address.
func choose(a *app.App, name string, trust bool) (upstream.Config, error) {
	loaded, err := a.Host.Load(trust)
	if err != nil {
		return upstream.Config{}, err
	}
	server, ok := loaded.Servers[name]
	switch {
	case !ok:
		known := "the servers are: " + strings.Join(slices.Sorted(maps.Keys(loaded.Servers)), ", ")
		if len(loaded.Servers) == 0 {
			known = "no servers are configured; " + config.AddServers
		}
		return server, fmt.Errorf("there is no server %q; %s", name, known)
	case server.Problem != nil:
		return server, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: server.Problem}
	case server.Local():
		return server, &localError{name, server.Type}
	default:
		return server, nil
	}
}

// localError is the error of a login at a server without an address.
type localError struct{ server, kind string }

func (e *localError) Error() string {
	if upstream.KindOf(e.kind).Hub {
		return fmt.Sprintf("server %s is a server of the fleet; its hub logs in: on the machine of the hub, run: %s --config FILE, with the file of the hub", e.server, toolscript.Command("auth", e.server))
	}
	return fmt.Sprintf("server %s is a %s server; OAuth2 is for HTTP/SSE servers only", e.server, e.kind)
}

// login logs in, unless the server accepts requests without a login.
func (o *authOptions) login(ctx context.Context) error {
	config, err := choose(o.App, o.server, o.trust)
	if err != nil {
		return err
	}
	if err := o.expectIssuer(&config); err != nil {
		return err
	}
	store, err := o.Host.LoginStore()
	if err != nil {
		return err
	}
	session, err := oauth.New(oauth.Options{
		Server: o.server, URL: config.URL, Config: config.OAuth, Store: store,
		Logger: o.Logger(slog.LevelWarn), Progress: o.tell,
	})
	if err != nil {
		return err
	}
	if err := o.progress("Logging in at %s", o.server); err != nil {
		return err
	}
	err = o.confirmed(ctx, session, func() error { return o.try(ctx, session, config) })
	var needed *oauth.LoginError
	switch {
	case err == nil:
		if err := errors.Join(o.pinIssuer(ctx, session), session.Affirm(ctx)); err != nil {
			return err
		}
		o.retry(ctx)
		return o.done("No login needed at %s: the server needs no other login", o.server)
	case errors.As(err, &needed), toolscript.KindOf(err) == toolscript.Unauthorized && !config.OAuth.Machine():
		if o.device {
			return o.byDevice(ctx, session)
		}
		return o.authorize(ctx, session)
	default:
		return err
	}
}

// retry makes a running gateway connect to the server now, if the server waits for a retry or for a login.
func (o *authOptions) retry(ctx context.Context) {
	g, err := o.Target.Shared(ctx, o.trust)
	if err != nil || g == nil {
		return // the user has asked only for the login
	}
	defer g.Close()
	servers, err := g.Servers(ctx, toolscript.Filter{o.server}, 0)
	for _, s := range servers {
		if s.Name == o.server && (s.State == toolscript.Backoff || s.State == toolscript.NeedsAuth) {
			_, err = g.RestartServer(ctx, o.server)
		}
	}
	if err != nil {
		o.Warn("the gateway at %s: %v", g.Host(), err)
	}
}

// try connects with the stored login.
func (o *authOptions) try(ctx context.Context, session *oauth.Session, config upstream.Config) error {
	ctx, cancel := context.WithTimeout(ctx, actors.DefaultConnectTimeout)
	defer cancel()
	if session.Lacking() {
		return &oauth.LoginError{Server: o.server}
	}
	return connect(ctx, session, o.server, config)
}

// connect connects to a server and closes the connection.
func connect(ctx context.Context, session *oauth.Session, server string, config upstream.Config) error {
	dialer := mcpclient.Dialer{RoundTripper: func(_ string, _ upstream.Config, base http.RoundTripper) http.RoundTripper {
		return session.Transport(base)
	}}
	conn, err := dialer.Dial(ctx, server, config, upstream.Events{})
	if err != nil {
		return err
	}
	return conn.Close()
}

// words describe the steps of a login to the user.
var words = map[oauth.Step]string{
	oauth.Discovering:     "Looking for the authorization server",
	oauth.UsingDocument:   "Using the client ID metadata document of the configuration",
	oauth.UsingConfigured: "Using the client_id of the configuration",
	oauth.UsingStored:     "Using the client that is registered already",
	oauth.Registering:     "Registering a client",
	oauth.Registered:      "Registered a client",
	oauth.Exchanging:      "Exchanging the authorization code for a token",
}

// tell prints a step. A write error does not stop the login.
func (o *authOptions) tell(step oauth.Step) { _ = o.progress("%s", words[step]) }

// progress prints a line of the login. With --json, stdout has only the JSON object, so
// the line goes to stderr.
func (o *authOptions) progress(format string, args ...any) error {
	if o.form.Structured() {
		o.Say(format, args...)
		return nil
	}
	return o.Print(format, args...)
}

// done prints the result of the login.
func (o *authOptions) done(format string, args ...any) error {
	if o.form.Structured() {
		return o.form.Write(o.Stdout, LoginState{Server: o.server, Authenticated: true})
	}
	return o.Print(format, args...)
}

// authorize sends the user to the page of the authorization server and waits for the
// redirect.
func (o *authOptions) authorize(ctx context.Context, session *oauth.Session) error {
	waiting, err := confirm.ListenForLogin(session.CallbackPort())
	if err != nil {
		return err
	}
	defer waiting.Close()
	var attempt *oauth.Attempt
	err = o.confirmed(ctx, session, func() (err error) {
		attempt, err = session.Begin(ctx, waiting.URL())
		return err
	})
	if err != nil {
		return o.unusable(err)
	}
	waiting.Serve(attempt)
	query, err := o.agree(ctx, session, attempt, waiting)
	if errors.Is(err, errDeviceLogin) {
		return o.loggedIn(ctx, session)
	}
	if err != nil {
		return err
	}
	if err := o.progress("Received the authorization code"); err != nil {
		return err
	}
	err = attempt.Finish(ctx, query)
	waiting.Answer(o.server, err)
	if err != nil {
		return err
	}
	return o.loggedIn(ctx, session)
}

// unusable names the server in an error about its OAuth2.
func (o *authOptions) unusable(err error) error {
	if errors.Is(err, oauth.ErrDiscovery) || errors.Is(err, oauth.ErrNoDevice) {
		return fmt.Errorf("%s: %w", o.server, err)
	}
	return err
}

// loggedIn prints that the login has succeeded.
func (o *authOptions) loggedIn(ctx context.Context, session *oauth.Session) error {
	if err := o.pinIssuer(ctx, session); err != nil {
		return err
	}
	return o.done("Logged in at %s; the tokens are stored where only you can read them", o.server)
}

// agree waits for the redirect of the browser, or for a pasted line with its address, and returns the query.
func (o *authOptions) agree(ctx context.Context, session *oauth.Session, attempt *oauth.Attempt, waiting *confirm.LoginCallback) (url.Values, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, login.FlowTime, fmt.Errorf(
		"no answer of the browser within %s; run the command again", login.FlowTime))
	defer cancel()
	if err := o.progress("Listening on port %d for the browser to come back\nAuthorization URL: %s", waiting.Port(), attempt.URL()); err != nil {
		return nil, err
	}
	var device <-chan error
	if !o.noBrowser && !o.browse(ctx, attempt.URL()) {
		device = o.offerDevice(ctx, session)
	}
	if err := o.progress("Waiting for you to agree in the browser"); err != nil {
		return nil, err
	}
	return o.returned(ctx, attempt, waiting, device)
}

// browse opens the browser. If this fails, it tells the user how to log in with another browser, and
// browse returns false.
func (o *authOptions) browse(ctx context.Context, address string) bool {
	_ = o.progress("Opening the browser")
	if err := confirm.OpenBrowser(ctx, address, o.Env); err != nil {
		o.Logger(slog.LevelWarn).Debug("no browser", slog.String("error", err.Error()))
		_ = o.progress("The browser could not be opened: open the URL above in one. " +
			"If it is on another machine, copy the last address of that browser and paste it here.")
		return false
	}
	return true
}
