package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// inMemory returns a network to a server in the same synctest bubble.
func inMemory(h http.Handler) way {
	return func(req *http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		r := req.Clone(req.Context())
		r.RequestURI = req.URL.RequestURI()
		if r.Body == nil {
			r.Body = http.NoBody
		}
		h.ServeHTTP(answer, r)
		return answer.Result(), nil
	}
}

// A token of any lifetime is renewed shortly before it expires. If the clock jumps past its end,
// the token is renewed before the next request, so that no request fails.
func TestTokensAreRenewedInTime(t *testing.T) {
	for _, test := range []struct {
		life   time.Duration
		leeway time.Duration // a request this long before the end renews the token
	}{
		{life: 5 * time.Second, leeway: 1250 * time.Millisecond},
		{life: 2 * time.Minute, leeway: 30 * time.Second},
		{life: time.Hour, leeway: time.Minute},
		{life: 30 * 24 * time.Hour, leeway: time.Minute},
	} {
		t.Run(test.life.String(), func(t *testing.T) {
			as := oauthserver.Start(t, oauthserver.Options{TokenLife: test.life})
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, as, dir, nil)
				s.Via(inMemory(as.Handler))
				attempt, err := s.Begin(t.Context(), redirect)
				if err != nil {
					t.Fatal(err)
				}
				if err := attempt.Finish(t.Context(), agree(t, as, attempt)); err != nil {
					t.Fatal(err)
				}
				ask := func(after time.Duration, renewals int) {
					t.Helper()
					time.Sleep(after)
					before := as.Count("mcp")
					if status := serve(t, s, as); status != http.StatusOK {
						t.Errorf("after %v: status %d", after, status)
					}
					if n := as.Count("mcp") - before; n != 1 {
						t.Errorf("after %v: the request was sent %d times, want once", after, n)
					}
					if n := as.Count("refresh_token"); n != renewals {
						t.Errorf("after %v: %d renewals, want %d", after, n, renewals)
					}
				}
				ask(0, 0)
				ask(test.life-test.leeway-time.Millisecond, 0)
				ask(2*time.Millisecond, 1)
				ask(365*24*time.Hour, 2) // the machine was asleep for a year
				ask(0, 2)
			})
		})
	}
}

// agree grants access in place of a person, in a synctest bubble.
func agree(t *testing.T, as *oauthserver.Server, attempt *oauth.Attempt) map[string][]string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, attempt.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := inMemory(as.Handler)(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // a body in memory
	to, err := resp.Location()
	if err != nil {
		t.Fatal(err)
	}
	return to.Query()
}

// serve sends a request in a synctest bubble and returns the status.
func serve(t *testing.T, s *oauth.Session, as *oauthserver.Server) int {
	t.Helper()
	status, err := post(t.Context(), s.Transport(inMemory(as.Handler)), as.MCP, ping)
	if err != nil {
		t.Fatal(err)
	}
	return status
}
