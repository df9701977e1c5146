package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

var (
	errUnauthorized = &toolscript.Error{Kind: toolscript.Unauthorized, Err: errors.New("HTTP 401")}
	errLogin        = &toolscript.Error{Kind: toolscript.Unauthorized, Err: &oauth.LoginError{Server: "fake"}}
)

// session returns the session of a login at an address.
func session(t *testing.T, address string) *oauth.Session {
	t.Helper()
	s, err := oauth.NewSessions(oauth.Store{Dir: t.TempDir()}, slog.New(slog.DiscardHandler)).Session("fake", address, oauth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refusedSession returns a session after status 401 of a server that describes no OAuth2.
func refusedSession(t *testing.T) *oauth.Session {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(web.Close)
	s := session(t, web.URL+"/mcp")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/mcp", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Transport(http.DefaultTransport).RoundTrip(req); err == nil || !s.Plain() { //nolint:bodyclose // there is no response
		t.Fatalf("the session after status 401: %v, plain: %t", err, s.Plain())
	}
	return s
}

// states are the states of a server without a connection, and what ends each of them.
var states = []struct {
	name   string
	state  toolscript.ServerState
	config upstream.Config
	login  func(*testing.T) *oauth.Session
	err    error // of each dial
	known  []toolscript.Tool

	restart, retry, call, time bool // whether each leads to a dial
}{
	{name: "unreachable", state: toolscript.Backoff, err: errRefused, restart: true, retry: true, call: true, time: true},
	{name: "old version", state: toolscript.Failed, err: &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("old")}, restart: true, retry: true},
	{name: "wrong definition", state: toolscript.Failed, err: &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("no")}, restart: true, retry: true},
	{name: "no login", state: toolscript.NeedsAuth, err: errUnauthorized, restart: true, retry: true},
	{
		name: "login needed", state: toolscript.NeedsAuth, err: errLogin, restart: true, retry: true,
		login: func(t *testing.T) *oauth.Session { t.Helper(); return session(t, "https://example.com/mcp") },
	},
	{
		name: "login needed, with a header", state: toolscript.NeedsAuth, err: errLogin, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{Headers: map[string]string{"X-Tenant": "1"}},
		login:  func(t *testing.T) *oauth.Session { t.Helper(); return session(t, "https://example.com/mcp") },
	},
	{name: "no login helps", state: toolscript.Backoff, err: errLogin, restart: true, retry: true, call: true, time: true, login: refusedSession},
	{
		name: "header Authorization", state: toolscript.Backoff, err: errUnauthorized, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{Headers: map[string]string{"authorization": "Bearer x"}},
		login:  func(t *testing.T) *oauth.Session { t.Helper(); return session(t, "https://example.com/mcp") },
	},
	{
		name: "header with a key", state: toolscript.Backoff, err: errLogin, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{Headers: map[string]string{"X-Api-Key": "x"}}, login: refusedSession,
	},
	{
		name: "API with auth", state: toolscript.Backoff, err: errUnauthorized, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{Type: upstream.OpenAPI, API: []byte(`{"auth": {"type": "bearer", "token": "x"}}`)},
	},
	{
		name: "API without auth", state: toolscript.Backoff, err: errUnauthorized, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{Type: upstream.GraphQL, API: []byte(`{}`)},
	},
	{
		name: "key in the address", state: toolscript.Backoff, err: errUnauthorized, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{URL: "https://example.com/mcp?key=x"},
	},
	{
		name: "client credentials", state: toolscript.Backoff, err: errLogin, restart: true, retry: true, call: true, time: true,
		config: upstream.Config{OAuth: oauth.Config{Grant: oauth.ClientCredentials}},
		login:  func(t *testing.T) *oauth.Session { t.Helper(); return session(t, "https://example.com/mcp") },
	},
	{
		name: "client credentials for an issuer that nobody has confirmed", state: toolscript.NeedsAuth, restart: true, retry: true,
		err:    &toolscript.Error{Kind: toolscript.Unauthorized, Err: &oauth.LoginError{Server: "fake", Issuer: "https://login.example.com"}},
		config: upstream.Config{OAuth: oauth.Config{Grant: oauth.ClientCredentials}},
		login:  func(t *testing.T) *oauth.Session { t.Helper(); return session(t, "https://example.com/mcp") },
	},
	{name: "login at the hub of a fleet", state: toolscript.NeedsAuth, err: errUnauthorized, restart: true, retry: true, call: true, time: true, config: upstream.Config{Type: upstream.Fleet}},
	{name: "at rest", state: toolscript.Resting, err: errRefused, known: []toolscript.Tool{{Name: "a"}}, restart: true, call: true, config: upstream.Config{Type: upstream.Stdio, Idle: time.Minute}},
	{name: "disabled", state: toolscript.Stopped, config: upstream.Config{Disabled: true}},
	{name: "not trusted", state: toolscript.Failed, config: upstream.Config{Problem: errors.New("not trusted")}},
}

// TestStatesAndCommands tries each command in each state without a connection. Restart and
// Retry, which a reload sends, dial in every state that is a fault of the connection, and in
// none that a person or the configuration decided.
func TestStatesAndCommands(t *testing.T) {
	for _, s := range states {
		for _, command := range []struct {
			name  string
			give  func(*rig)
			dials bool
		}{
			{"restart", func(r *rig) { _, _ = restart(r) }, s.restart},
			{"retry", func(r *rig) { r.at.Engine.Send(r.at.PID, server.Retry{}) }, s.retry},
			{"call", func(r *rig) { <-r.waitingCall(r.t.Context(), 3*time.Second) }, s.call},
			{"time", func(*rig) { time.Sleep(time.Hour) }, s.time},
		} {
			t.Run(s.name+"/"+command.name, func(t *testing.T) {
				var login *oauth.Session
				if s.login != nil {
					login = s.login(t)
				}
				synctest.Test(t, func(t *testing.T) {
					works := new(atomic.Bool)
					r := start(t, options{config: s.config, login: login, known: s.known, dial: func(context.Context, int) (server.Conn, error) {
						if !works.Load() {
							return nil, s.err
						}
						return withTools("a"), nil
					}})
					time.Sleep(3 * time.Minute) // the pauses are long now
					if got := r.state(); got != s.state {
						t.Fatalf("state = %s, want %s", got, s.state)
					}
					works.Store(true)
					before := len(r.dialTimes())
					command.give(r)
					time.Sleep(2 * time.Second)
					if n := len(r.dialTimes()) - before; n != map[bool]int{true: 1}[command.dials] {
						t.Errorf("%d dials, want one: %t", n, command.dials)
					}
					if got := r.state(); command.dials != (got == toolscript.Ready) && got != toolscript.Resting {
						t.Errorf("state = %s: %s", got, r.status().Error)
					}
				})
			})
		}
	}
}

// While a server refuses its credentials, each call fails with the reason and none hangs; the
// first call after that works.
func TestCredentialsThatAreRefusedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := new(atomic.Bool)
		works.Store(true)
		conn := withTools("a")
		r := start(t, options{config: upstream.Config{Headers: map[string]string{"Authorization": "x"}}, dial: func(_ context.Context, n int) (server.Conn, error) {
			switch {
			case !works.Load():
				return nil, errUnauthorized
			case n == 1:
				return conn, nil
			default:
				return withTools("a"), nil
			}
		}})
		works.Store(false)
		begun := time.Now()
		conn.die(errUnauthorized)
		if got := r.state(); got != toolscript.Backoff || r.status().NextRetry == nil {
			t.Errorf("state = %s, next try %v", got, r.status().NextRetry)
		}
		for range 3 {
			got := <-r.waitingCall(t.Context(), 10*time.Second)
			if got.err == nil || got.took > 3*time.Second {
				t.Errorf("a call while the credentials are refused: %v after %s", got.err, got.took)
			}
		}
		if dials, took := len(r.dialTimes()), time.Since(begun); dials > 1+3+int(took/time.Second) {
			t.Errorf("%d dials within %s", dials, took)
		}
		works.Store(true)
		if got := <-r.waitingCall(t.Context(), 10*time.Second); got.err != nil {
			t.Errorf("a call when they are accepted again: %v", got.err)
		}
	})
}

// Each attempt of a server that waits for a login ends the wait of the attempt before it.
func TestWaitsForALoginDoNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{login: session(t, "https://example.com/mcp"), dial: func(context.Context, int) (server.Conn, error) { return nil, errLogin }})
		before := runtime.NumGoroutine()
		for range 20 {
			if status, err := restart(r); err != nil || status.State != toolscript.NeedsAuth { // the reply has the reason for a refusal
				t.Fatalf("%+v, %v", status, err)
			}
		}
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > 5 {
			t.Errorf("%d more goroutines after 20 restarts", n)
		}
	})
}
