package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/login"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// authLimit bounds the requests of one login to authorization servers.
const authLimit = time.Minute

// BeginAuth begins a login at a server and returns the URL that a person opens in a
// browser. The browser returns to redirect, and FinishAuth ends the login. The error
// is NotFound for an unknown server, Invalid for a server without OAuth, and
// Unavailable if the login cannot begin.
func (s *System) BeginAuth(ctx context.Context, name, redirect string) (address string, err error) {
	defer rescue.Catch(s.panicked(&err))
	session, at, err := s.loginAt(name)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, authLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, func(r mailbox.Reply[string]) any {
		return login.Begin{Ctx: ctx, Session: session, Redirect: redirect, Reply: r}
	})
}

// BeginDeviceAuth begins a login at a server on another device, and returns the address and the code that the person
// needs. The server connects when the person has logged in. The errors are those of BeginAuth.
func (s *System) BeginDeviceAuth(ctx context.Context, name string) (code oauth.DeviceCode, err error) {
	defer rescue.Catch(s.panicked(&err))
	session, at, err := s.loginAt(name)
	if err != nil {
		return oauth.DeviceCode{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, authLimit)
	defer cancel()
	done := func(server string) { s.retryUnconnected([]string{server}) }
	return mailbox.Ask(ctx, at, func(r mailbox.Reply[oauth.DeviceCode]) any {
		return login.BeginDevice{Ctx: ctx, Session: session, Done: done, Reply: r}
	})
}

// loginAt returns the session of a server and the actor of the logins.
func (s *System) loginAt(name string) (session *oauth.Session, at mailbox.Address, err error) {
	s.configuring.Lock()
	config, ok := s.configured[name]
	s.configuring.Unlock()
	if !ok {
		return nil, at, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no server %q", name), Next: "see: toolscript list-servers"}
	}
	if session = s.login(name, config); session == nil {
		return nil, at, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: errors.New("OAuth2 is only supported for HTTP/SSE servers")}
	}
	at, err = s.find(authID)
	return session, at, err
}

// FinishAuth ends a login with the query that the browser returned with. It returns
// the server, or "" if the query belongs to no login. The server then connects.
func (s *System) FinishAuth(ctx context.Context, query url.Values) (server string, err error) {
	defer rescue.Catch(s.panicked(&err))
	at, err := s.find(authID)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, authLimit)
	defer cancel()
	server, err = mailbox.Ask(ctx, at, func(r mailbox.Reply[string]) any {
		return login.Finish{Ctx: ctx, Query: query, Reply: r}
	})
	if err == nil {
		s.retryUnconnected([]string{server})
	}
	return server, err
}

// login returns the session of a server; nil for a server without OAuth.
func (s *System) login(name string, config upstream.Config) *oauth.Session {
	if s.options.Logins == nil || config.Problem != nil || config.Local() {
		return nil
	}
	session, err := s.options.Logins.Session(cmp.Or(config.Account, name), config.URL, config.OAuth)
	if err != nil {
		return nil // the dial fails with this error
	}
	return session
}

// Credentials adds the tokens of logins to the requests of a Dialer.
func Credentials(logins *oauth.Sessions) func(string, upstream.Config, http.RoundTripper) http.RoundTripper {
	return func(name string, config upstream.Config, base http.RoundTripper) http.RoundTripper {
		session, err := logins.Session(cmp.Or(config.Account, name), config.URL, config.OAuth)
		if err != nil {
			return failing{err}
		}
		return session.Transport(base)
	}
}

// failing is the transport of a server whose login is configured wrongly.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }
