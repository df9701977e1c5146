package sharing_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/test/harness"
)

// TestLoginOfASharedServer: one login, from any session, is enough for all gateways that share the
// server. The hub uses the login and renews the token for all of them.
func TestLoginOfASharedServer(t *testing.T) {
	t.Parallel()
	as := oauthserver.Start(t, oauthserver.Options{})
	w := newWorld(t, `{"mcpServers": {"guarded": {"url": "`+as.MCP+`", "shared": true}}}`)
	gateways := []*harness.Gateway{w.gateway("a"), w.gateway("b")}
	for _, g := range gateways {
		w.await(g, "guarded", func(s fleetState) bool {
			return s.State == "needs_auth" && strings.Contains(s.Error, "toolscript auth guarded")
		})
	}

	login := w.Command(context.WithoutCancel(t.Context()), "auth", "--no-browser", "guarded")
	out, err := login.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := login.Start(); err != nil {
		t.Fatal(err)
	}
	address := ""
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, is := strings.CutPrefix(lines.Text(), "Authorization URL: "); is {
			address = url
		}
		if strings.HasPrefix(lines.Text(), "Waiting for you") {
			break
		}
	}
	if address == "" {
		t.Fatalf("no address to log in at: %v", login.Wait())
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, as.Agree(t, address).String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // only the request counts
	for lines.Scan() {    // until the output ends
	}
	if err := login.Wait(); err != nil {
		t.Fatalf("the login ended with %v", err)
	}

	for _, g := range gateways {
		w.await(g, "guarded", isReady)
		var answer struct{ Content []struct{ Text string } }
		status, err := g.Post(t.Context(), "/tools/guarded__echo", map[string]any{"text": "hi"}, &answer)
		if err != nil || status != http.StatusOK || len(answer.Content) != 1 || answer.Content[0].Text != "echo: hi" {
			t.Errorf("a call after the login: HTTP %d, %v, %+v", status, err, answer)
		}
	}
	if n := as.Count("authorization_code"); n != 1 {
		t.Errorf("%d logins", n)
	}
	as.Revoke(true)
	as.Deny(func(*http.Request) (int, string) { return http.StatusBadRequest, `{"error":"invalid_grant"}` })
	if status, _ := gateways[0].Post(t.Context(), "/tools/guarded__echo", map[string]any{"text": "hi"}, nil); status != http.StatusUnauthorized {
		t.Errorf("a call after the end of the login: HTTP %d", status)
	}
	for _, g := range gateways {
		w.await(g, "guarded", func(s fleetState) bool { return s.State == "needs_auth" })
		for _, secret := range as.Secrets() {
			if strings.Contains(g.Log(), secret) {
				t.Errorf("the log of a gateway has the secret %q", secret)
			}
		}
	}
}
