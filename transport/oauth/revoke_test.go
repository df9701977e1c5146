package oauth_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// A copy of the tokens is invalid after a logout.
func TestForgetRevokes(t *testing.T) {
	for _, method := range []string{"none", "client_secret_basic", "client_secret_post"} {
		t.Run(method, func(t *testing.T) {
			as := oauthserver.Start(t, oauthserver.Options{AuthMethod: method})
			dir, copied := t.TempDir(), t.TempDir()
			s := session(t, as, dir, nil)
			login(t, s, as)
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			mustSend(t, session(t, as, copied, nil), as)
			if ended, err := s.Forget(t.Context()); err != nil || ended != (oauth.Ended{Found: true, Revoked: true}) {
				t.Errorf("Forget = %+v, %v", ended, err)
			}
			for _, dir := range []string{dir, copied} {
				if _, err := send(t, session(t, as, dir, nil), as, ping); toolscript.KindOf(err) != toolscript.Unauthorized {
					t.Errorf("after the logout: %v", err)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "guarded.json")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file is still there: %v", err)
			}
			if ended, err := s.Forget(t.Context()); err != nil || ended != (oauth.Ended{}) {
				t.Errorf("Forget again = %+v, %v", ended, err)
			}
		})
	}
}

// Errors of the authorization server do not prevent a logout.
func TestForgetWithoutRevocation(t *testing.T) {
	for _, test := range []struct {
		name   string
		server oauthserver.Options
		deny   func(*http.Request) (int, string)
		reason string
	}{
		{name: "no endpoint", server: oauthserver.Options{NoRevocation: true}, reason: "no revocation endpoint"},
		{name: "no metadata", server: oauthserver.Options{NoResourceMetadata: true, NoMetadata: true}, reason: "no revocation endpoint"},
		{
			name: "it is down", reason: "503",
			deny: func(*http.Request) (int, string) { return http.StatusServiceUnavailable, "down" },
		},
		{
			name: "it repeats what it was sent", reason: "invalid_request",
			deny: func(r *http.Request) (int, string) {
				return http.StatusBadRequest, `{"error":"invalid_request","error_description":"token ` + r.PostForm.Get("token") + `"}`
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			as := oauthserver.Start(t, test.server)
			dir := t.TempDir()
			s := session(t, as, dir, nil)
			login(t, s, as)
			as.Deny(test.deny)
			ended, err := s.Forget(t.Context())
			if err != nil || !ended.Found || ended.Revoked || ended.Unrevoked == nil || !strings.Contains(ended.Unrevoked.Error(), test.reason) {
				t.Fatalf("Forget = %+v, %v, want it found and not revoked for %q", ended, err, test.reason)
			}
			for _, secret := range as.Secrets() {
				if strings.Contains(ended.Unrevoked.Error(), secret) {
					t.Errorf("a secret in %v", ended.Unrevoked)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "guarded.json")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file is still there: %v", err)
			}
		})
	}
}

// A login counts as revoked even if the authorization server revokes only refresh tokens.
func TestForgetWithAccessTokensThatEndAlone(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	s := session(t, as, t.TempDir(), nil)
	login(t, s, as)
	as.Deny(func(r *http.Request) (int, string) {
		if r.PostForm.Get("token_type_hint") == "access_token" {
			return http.StatusBadRequest, `{"error":"unsupported_token_type"}`
		}
		return 0, ""
	})
	if ended, err := s.Forget(t.Context()); err != nil || !ended.Revoked || as.Count("revoke") != 2 {
		t.Errorf("Forget = %+v, %v after %d requests", ended, err, as.Count("revoke"))
	}
}
