package oauth_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

const redirect = "http://127.0.0.1:7/oauth/callback"

// session returns a session at the fixture, with options changed by the test.
func session(t *testing.T, as *oauthserver.Server, dir string, change func(*oauth.Options)) *oauth.Session {
	t.Helper()
	o := oauth.Options{Server: "guarded", URL: as.MCP, Store: oauth.Store{Dir: dir}}
	if change != nil {
		change(&o)
	}
	s, err := oauth.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// login runs the whole login flow.
func login(t *testing.T, s *oauth.Session, as *oauthserver.Server) {
	t.Helper()
	attempt, err := s.Begin(t.Context(), redirect)
	if err != nil {
		t.Fatal(err)
	}
	if err := attempt.Finish(t.Context(), as.Agree(t, attempt.URL()).Query()); err != nil {
		t.Fatal(err)
	}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// send sends one request with the session's token and returns the HTTP status.
func send(t *testing.T, s *oauth.Session, as *oauthserver.Server, body string) (int, error) {
	t.Helper()
	return sendWith(t.Context(), s, as.MCP, body)
}

func sendWith(ctx context.Context, s *oauth.Session, address, body string) (int, error) {
	return post(ctx, s.Transport(http.DefaultTransport), address, body)
}

// post sends a message and returns the HTTP status.
func post(ctx context.Context, by http.RoundTripper, address, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := by.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// mustSend fails the test unless the status is 200.
func mustSend(t *testing.T, s *oauth.Session, as *oauthserver.Server) {
	t.Helper()
	status, err := send(t, s, as, ping)
	if err != nil || status != http.StatusOK {
		t.Fatalf("request: status %d, %v", status, err)
	}
}

func with(query url.Values, name, value string) url.Values {
	changed := maps.Clone(query)
	if value == "" {
		changed.Del(name)
	} else {
		changed.Set(name, value)
	}
	return changed
}
