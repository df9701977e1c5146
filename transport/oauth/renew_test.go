package oauth_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Two gateways share a login. Its tokens are valid for a second, and using a refresh token twice
// ends the login.
func TestRenewalIsSharedBetweenProcesses(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{TokenLife: time.Second})
	dir := t.TempDir()
	login(t, session(t, as, dir, nil), as)
	var all sync.WaitGroup
	end := time.Now().Add(3 * time.Second)
	for range 2 {
		gateway := session(t, as, dir, nil)
		for range 8 {
			all.Go(func() {
				for time.Now().Before(end) {
					if status, err := send(t, gateway, as, ping); err != nil || status != http.StatusOK {
						t.Errorf("status %d, %v", status, err)
						return
					}
				}
			})
		}
	}
	all.Wait()
	t.Logf("%d requests, %d renewals", as.Count("mcp"), as.Count("refresh_token"))
	if n := as.Count("refresh_token"); n < 2 || n > 8 {
		t.Errorf("%d renewals in 3 s of tokens that live for one", n)
	}
}

func TestTokenWithoutAnEndIsRenewedWhenItIsRefused(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{TokenLife: 50 * time.Millisecond, Undying: true})
	s := session(t, as, t.TempDir(), nil)
	login(t, s, as)
	for as.Count("refresh_token") == 0 {
		mustSend(t, s, as)
	}
}

// After a refused refresh, the tokens are deleted, the status is updated, and there are no further
// attempts until a login in another process (AUTH-31).
func TestRefusedRefreshEndsTheLogin(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	var said kit.Buffer
	s := session(t, as, dir, func(o *oauth.Options) { o.Logger = said.Logger() })
	login(t, s, as)
	as.Revoke(true)
	as.Deny(func(r *http.Request) (int, string) {
		if r.PostForm.Get("grant_type") != "refresh_token" {
			return 0, ""
		}
		return http.StatusBadRequest, `{"error":"invalid_grant","error_description":"revoked"}`
	})
	for range 3 {
		if _, err := send(t, s, as, ping); toolscript.KindOf(err) != toolscript.Unauthorized || !strings.Contains(err.Error(), "toolscript auth guarded") {
			t.Fatalf("got %v", err)
		}
	}
	if n := as.Count("refresh_token"); n != 1 {
		t.Errorf("%d tries to refresh, want 1", n)
	}
	if n := strings.Count(said.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, said.String())
	}
	if status, reason := s.Status(); status != oauth.Failed || !strings.Contains(reason, "invalid_grant") {
		t.Errorf("status %q, %q", status, reason)
	}
	login(t, session(t, as, dir, nil), as)
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, _ := s.Status(); status != oauth.Authenticated {
		t.Errorf("status %q after the login", status)
	}
}

// A session notices a login that succeeds while the server refuses a request without a token.
func TestLoginDuringARefusedRequest(t *testing.T) {
	asked, loggedIn := make(chan struct{}), make(chan struct{})
	var held atomic.Bool
	as := oauthserver.Start(t, oauthserver.Options{Metadata: func() {
		if held.CompareAndSwap(false, true) {
			close(asked)
			<-loggedIn
		}
	}})
	s := session(t, as, t.TempDir(), nil)
	refused := make(chan error, 1)
	go func() {
		_, err := sendWith(context.WithoutCancel(t.Context()), s, as.MCP, ping)
		refused <- err
	}()
	<-asked
	login(t, s, as)
	close(loggedIn)
	if err := <-refused; toolscript.KindOf(err) != toolscript.Unauthorized {
		t.Errorf("got %v", err)
	}
	if status, reason := s.Status(); status != oauth.Authenticated {
		t.Fatalf("status %q after the login, %q", status, reason)
	}
	if err := s.Await(t.Context()); err != nil {
		t.Error(err)
	}
	mustSend(t, s, as)
}

func TestRefusedTokensAreNotRetriedWithoutEnd(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	s := session(t, as, t.TempDir(), nil)
	login(t, s, as)
	mustSend(t, s, as)
	as.Revoke(true)
	before := as.Count("mcp")
	if _, err := send(t, s, as, ping); toolscript.KindOf(err) != toolscript.Unauthorized {
		t.Errorf("got %v", err)
	}
	if n := as.Count("mcp") - before; n != 2 {
		t.Errorf("the request was sent %d times, want 2", n)
	}
	if n := as.Count("refresh_token"); n != 1 {
		t.Errorf("%d renewals, want 1", n)
	}
}

// A failure of the authorization server does not end the login.
func TestUnreachableAuthorizationServerKeepsTheLogin(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	s := session(t, as, dir, nil)
	login(t, s, as)
	file := filepath.Join(dir, "guarded.json")
	if err := os.WriteFile(file, expired(t, file), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, busy := range []struct {
		status int
		body   string
	}{
		{http.StatusServiceUnavailable, "down"},
		{http.StatusTooManyRequests, `{"error":"too_many_requests"}`},
		{http.StatusBadRequest, `{"error":"temporarily_unavailable"}`},
	} {
		as.Deny(func(*http.Request) (int, string) { return busy.status, busy.body })
		if _, err := send(t, s, as, ping); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("while it answers %d %s: %v", busy.status, busy.body, err)
		}
	}
	as.Deny(nil)
	mustSend(t, s, as)
}

// expired returns the content of a credentials file with an expired token.
func expired(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if strings.Contains(line, `"expires_at"`) {
			lines[i] = `    "expires_at": 1000` + strings.Repeat(",", strings.Count(line, ",")) // the last line has no comma
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// A cancelled request does not lose the answer with the new refresh token.
func TestRenewalOutlivesItsCaller(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	s := session(t, as, dir, nil)
	login(t, s, as)
	file := filepath.Join(dir, "guarded.json")
	if err := os.WriteFile(file, expired(t, file), 0o600); err != nil {
		t.Fatal(err)
	}
	asked, answer := make(chan struct{}), make(chan struct{})
	as.Deny(func(*http.Request) (int, string) {
		close(asked)
		<-answer
		return 0, ""
	})
	ctx, leave := contextOf(t)
	left := make(chan error, 1)
	go func() {
		_, err := sendWith(ctx, s, as.MCP, ping)
		left <- err
	}()
	<-asked
	leave()
	if err := <-left; err == nil {
		t.Error("the request was served")
	}
	close(answer)
	s.Idle(t.Context())
	as.Deny(nil)
	before := as.Count("refresh_token")
	mustSend(t, s, as)
	if n := as.Count("refresh_token") - before; n != 0 {
		t.Errorf("%d more renewals: the first was lost", n)
	}
}

// If a server refuses a login only for a while, no new login is needed: the next accepted request
// ends the failure, and so does a person's successful check in another process.
func TestARefusalThatWasAFault(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	s, other := session(t, as, dir, nil), session(t, as, dir, nil)
	login(t, s, as)
	refuse := func() {
		t.Helper()
		as.Revoke(true)
		if _, err := send(t, s, as, ping); toolscript.KindOf(err) != toolscript.Unauthorized {
			t.Fatalf("got %v", err)
		}
		if status, _ := s.Status(); status != oauth.Failed {
			t.Errorf("status %q after the refusal", status)
		}
		as.Revoke(false)
	}
	refuse()
	mustSend(t, s, as)
	if status, reason := s.Status(); status != oauth.Authenticated {
		t.Errorf("status %q (%s) after a request that was accepted", status, reason)
	}
	refuse()
	mustSend(t, other, as)
	if err := other.Affirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, reason := s.Status(); status != oauth.Authenticated {
		t.Errorf("status %q (%s) after another process has affirmed the login", status, reason)
	}
}
