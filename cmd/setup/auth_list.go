package setup

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// askTime bounds the request that finds out whether a server needs a login.
const askTime = 5 * time.Second

// The values of LoginState.Status.
const (
	loggedIn    = "authenticated"
	notLoggedIn = "not_authenticated"
	loginFailed = "failed"
	notNeeded   = "not_needed"
	notStarted  = "disabled"
	notKnown    = "unknown"
)

// LoginState is the state of the login at one server.
type LoginState struct {
	Server        string     `json:"server"`
	Status        string     `json:"status"`
	Authenticated bool       `json:"authenticated"`
	Error         string     `json:"error,omitempty"` // why a login failed, or why the status is unknown
	FailedAt      *time.Time `json:"failedAt,omitempty"`
}

// noLogins is printed if no server is configured that supports logins.
const noLogins = `No HTTP or SSE servers are configured. One is:

  {"mcpServers": {"example": {"type": "http", "url": "https://example.com/mcp"}}}`

// list prints the state of all logins. It connects to servers without a login to find
// out whether they need one.
func (o *authOptions) list(ctx context.Context) error {
	loaded, err := o.Host.Load(o.trust)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(loaded.Files, func(f config.File) bool { return f.Found }) {
		return errors.New("no servers are configured: there is no configuration file; " + config.AddServers)
	}
	all := o.states(ctx, loaded)
	switch {
	case o.form.Structured():
		return o.form.Write(o.Stdout, all)
	case len(all) == 0:
		return o.Print("%s", noLogins)
	default:
		return o.table(all)
	}
}

// states determines the states of all servers concurrently.
func (o *authOptions) states(ctx context.Context, loaded *config.Config) []LoginState {
	logins := o.Host.Logins(o.Logger(slog.LevelWarn))
	all := []LoginState{}
	for _, name := range slices.Sorted(maps.Keys(loaded.Servers)) {
		if !loaded.Servers[name].Local() {
			all = append(all, LoginState{Server: name})
		}
	}
	var asked sync.WaitGroup
	for i := range all {
		asked.Go(func() { all[i] = o.stateOf(ctx, logins, all[i].Server, loaded.Servers[all[i].Server]) })
	}
	asked.Wait()
	return all
}

func (o *authOptions) stateOf(ctx context.Context, logins *oauth.Sessions, name string, c upstream.Config) LoginState {
	state := LoginState{Server: name, Status: notKnown}
	if c.Disabled {
		state.Status = notStarted
		return state
	}
	session, err := logins.Session(name, c.URL, c.OAuth)
	if err == nil {
		err = c.Problem
	}
	if err != nil {
		state.Error = terminal.OneLine(err.Error())
		return state
	}
	switch status, reason := session.Status(); {
	case status == oauth.Authenticated:
		state.Status, state.Authenticated = loggedIn, true
	case status == oauth.Failed:
		state.Status, state.Error = loginFailed, reason
		if _, at := session.Failure(); !at.IsZero() {
			state.FailedAt = &at
		}
	case session.NeedsConfirmation():
		state.Status, state.Error = notLoggedIn, "the authorization server is not confirmed"
	case c.OAuth.Machine(): // a client with credentials of its own needs no browser
		state.Status = notNeeded
	default:
		state.Status, state.Error = o.askServer(ctx, session, name, c)
	}
	return state
}

// askServer connects to a server to find out whether it needs a login.
func (o *authOptions) askServer(ctx context.Context, session *oauth.Session, name string, c upstream.Config) (status, reason string) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	err := connect(ctx, session, name, c)
	var needed *oauth.LoginError
	switch {
	case err == nil:
		return notNeeded, ""
	case errors.As(err, &needed), toolscript.KindOf(err) == toolscript.Unauthorized:
		return notLoggedIn, ""
	default:
		return notKnown, terminal.OneLine(err.Error())
	}
}

func (o *authOptions) table(all []LoginState) error {
	t := terminal.Table{Header: []string{"Status", "Server", "Authentication"}}
	needed := false
	for _, s := range all {
		mark, text := s.words()
		t.Add(mark, s.Server, text)
		needed = needed || s.Status == notLoggedIn || s.Status == loginFailed
	}
	if err := t.Write(o.Stdout, terminal.Columns(o.Stdout), nil); err != nil || !needed {
		return err
	}
	return o.Print("\nTo log in at a server, run: toolscript auth SERVER")
}

func (s LoginState) words() (mark, text string) {
	mark = "✗"
	switch s.Status {
	case loggedIn:
		return "✓", "authenticated"
	case notNeeded:
		return "✓", "no login needed"
	case notStarted:
		return "-", "disabled"
	case loginFailed:
		text = "login failed"
		if s.FailedAt != nil {
			text += " at " + s.FailedAt.Local().Format(time.DateTime)
		}
	case notLoggedIn:
		text = "not authenticated"
	default:
		mark, text = "?", "unknown"
	}
	if s.Error != "" {
		text += " (" + s.Error + ")"
	}
	return mark, text
}
