package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/auth"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
)

// closeTime bounds the end of a connection that was only tried.
const closeTime = 5 * time.Second

// loginStore is where logins are kept: ~/.toolscript/oauth, whatever program of
// ours asks, unless another data folder is named.
func (a *app) loginStore() (oauth.Store, error) {
	data, err := config.DataDir(a.config(false))
	if err != nil {
		return oauth.Store{}, err
	}
	return oauth.Store{Dir: filepath.Join(data, "oauth")}, nil
}

// try connects to the server with what is stored.
func (o *authOptions) try(ctx context.Context, session *oauth.Session, config mcpclient.Config) error {
	ctx, cancel := context.WithTimeout(ctx, actors.DefaultConnectTimeout)
	defer cancel()
	if session.Lacking() {
		return &oauth.LoginError{Server: o.server}
	}
	dialer := mcpclient.Dialer{RoundTripper: func(_ string, _ mcpclient.Config, base http.RoundTripper) http.RoundTripper {
		return session.Transport(base)
	}}
	conn, err := dialer.Dial(ctx, o.server, config, mcpclient.Events{})
	if err != nil {
		return err
	}
	return conn.Close()
}

// words are what the steps of a flow are to the user.
var words = map[oauth.Step]string{
	oauth.Discovering:     "Performing OAuth discovery...",
	oauth.UsingDocument:   "Using the client ID metadata document from config...",
	oauth.UsingConfigured: "Using client_id from config...",
	oauth.UsingStored:     "Using stored client...",
	oauth.Registering:     "Registering client...",
	oauth.Registered:      "✓ Client registered successfully",
	oauth.Exchanging:      "Exchanging authorization code for access token...",
}

// tell prints a step. That nobody reads it stops no login.
func (o *authOptions) tell(step oauth.Step) { _ = o.print("%s", words[step]) }

// authorize takes the user through the authorization server's page.
func (o *authOptions) authorize(ctx context.Context, session *oauth.Session) error {
	waiting, err := openCallback(session.CallbackPort())
	if err != nil {
		return err
	}
	defer waiting.close()
	attempt, err := session.Begin(ctx, waiting.url())
	if errors.Is(err, oauth.ErrDiscovery) {
		return fmt.Errorf("%s: Server does not support OAuth2 or is misconfigured (%w)", o.server, err)
	}
	if err != nil {
		return err
	}
	waiting.serve(attempt)
	query, err := o.agree(ctx, attempt, waiting)
	if err != nil {
		return err
	}
	if err := o.print("✓ Authorization code received!"); err != nil {
		return err
	}
	err = attempt.Finish(ctx, query)
	waiting.answer(o.server, err)
	if err != nil {
		return err
	}
	return o.print("✓ Authentication successful! Credentials stored securely.")
}

// agree waits for the user to come back from the browser, or to paste the
// address that it ended at.
func (o *authOptions) agree(ctx context.Context, attempt *oauth.Attempt, waiting *callback) (url.Values, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, auth.FlowTime, fmt.Errorf(
		"nobody agreed within %s; run the command again", auth.FlowTime))
	defer cancel()
	if err := o.print("Starting callback server on port %d...\nAuthorization URL: %s", waiting.port(), attempt.URL()); err != nil {
		return nil, err
	}
	if !o.noBrowser {
		o.browse(ctx, attempt.URL())
	}
	if err := o.print("Waiting for authorization..."); err != nil {
		return nil, err
	}
	select {
	case back := <-waiting.back:
		return back.query, back.err
	case back := <-o.pasted(ctx, attempt):
		return back.query, back.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// browse opens the user's browser, or says that there is none.
func (o *authOptions) browse(ctx context.Context, address string) {
	_ = o.print("Opening browser for authorization...")
	if err := openBrowser(ctx, address, o.Env); err != nil {
		o.logger(slog.LevelWarn).Debug("no browser", slog.String("error", err.Error()))
		_ = o.print("Failed to open browser automatically.\nPlease open the URL above in your browser to continue.\n" +
			"If that browser is on another machine, paste the address it ends at here.")
	}
}
