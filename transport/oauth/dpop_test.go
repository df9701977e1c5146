package oauth_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// TestBoundTokens checks proofs at both servers: after the login, in another process, and after a
// renewal with the same key. The servers refuse a proof that they have already seen.
func TestBoundTokens(t *testing.T) {
	nonces := 0
	for name, nonce := range map[string]func() string{
		"without a nonce":             nil,
		"one nonce":                   func() string { return "n" },
		"a nonce for each request":    func() string { nonces++; return fmt.Sprint("n", nonces) },
		"the nonce is none afterward": func() string { return "" },
	} {
		for _, storage := range []string{oauth.StorageFile, oauth.StorageKeyring} {
			t.Run(name+" in "+storage, func(t *testing.T) {
				keyring.MockInit()
				as := oauthserver.Start(t, oauthserver.Options{Bound: &oauthserver.Bound{Nonce: nonce}})
				dir := t.TempDir()
				stored := func(o *oauth.Options) { o.Config.Storage = storage }
				s := session(t, as, dir, stored)
				login(t, s, as)
				mustSend(t, s, as)
				mustSend(t, s, as)
				file := filepath.Join(dir, "guarded.json")
				if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "dpop_key") != (storage == oauth.StorageFile) {
					t.Errorf("the file is %s, %v", text, err)
				}
				other := session(t, as, dir, stored)
				mustSend(t, other, as)
				if err := os.WriteFile(file, expired(t, file), 0o600); err != nil {
					t.Fatal(err)
				}
				mustSend(t, other, as)
				if n := as.Count("refresh_token"); n == 0 {
					t.Error("the token was not renewed")
				}
			})
		}
	}
}

// TestNoncesThatNeverSuffice checks that a server that refuses every proof gets two requests, and that
// a long nonce is not sent back.
func TestNoncesThatNeverSuffice(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{Bound: &oauthserver.Bound{}})
	s := session(t, as, t.TempDir(), nil)
	login(t, s, as)
	requests, longest := 0, 0
	s2 := s.Transport(way(func(req *http.Request) (*http.Response, error) {
		requests++
		longest = max(longest, len(req.Header.Get("DPoP")))
		nonce := fmt.Sprint("n", requests)
		if requests > 2 {
			nonce = strings.Repeat("n", 1<<20)
		}
		return &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{
			"Www-Authenticate": {`DPoP error="use_dpop_nonce"`}, "Dpop-Nonce": {nonce},
		}}, nil
	}))
	for range 2 {
		if status, err := post(t.Context(), s2, as.MCP, ping); err == nil {
			t.Errorf("status %d, want an error", status)
		}
	}
	if requests > 8 || longest > 2000 {
		t.Errorf("%d requests with proofs of up to %d bytes", requests, longest)
	}
}

// TestOneNonceForSeveralRequests: if several requests learn the same nonce, each is sent again with it. None of
// them renews the token, because the token is valid.
func TestOneNonceForSeveralRequests(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{Bound: &oauthserver.Bound{}})
	s := session(t, as, t.TempDir(), nil)
	login(t, s, as)
	const together = 3
	var sent atomic.Int32
	var answers sync.WaitGroup // counts the answers to requests without a nonce
	answers.Add(together)
	transport := s.Transport(way(func(req *http.Request) (*http.Response, error) {
		answer := &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{}, Request: req}
		if sent.Add(1) <= together {
			answers.Done()
			answers.Wait()
			answer.StatusCode = http.StatusUnauthorized
			answer.Header = http.Header{"Www-Authenticate": {`DPoP error="use_dpop_nonce"`}, "Dpop-Nonce": {"n"}}
		}
		return answer, nil
	}))
	before := as.Count("refresh_token")
	var requests sync.WaitGroup
	for range together {
		requests.Go(func() {
			if _, err := post(t.Context(), transport, as.MCP, ping); err != nil {
				t.Error(err)
			}
		})
	}
	requests.Wait()
	if n := as.Count("refresh_token") - before; n != 0 || sent.Load() != 2*together {
		t.Errorf("%d renewals and %d requests, want none and %d", n, sent.Load(), 2*together)
	}
}
