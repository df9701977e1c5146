package oauth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

// newKey returns a private key in PEM form.
func newKey(t *testing.T) oauth.Secret {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return oauth.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// secretClients returns clients whose credentials an authorization server could abuse.
func secretClients(t *testing.T) map[string]struct {
	server oauthserver.Options
	config oauth.Config
} {
	t.Helper()
	return map[string]struct {
		server oauthserver.Options
		config oauth.Config
	}{
		"client credentials with a secret": {
			oauthserver.Options{ClientID: "robot", ClientSecret: "s3cret", AuthMethod: "client_secret_basic"},
			oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", ClientSecret: "s3cret"},
		},
		"client credentials with a key": {
			oauthserver.Options{ClientID: "robot", AuthMethod: "private_key_jwt"},
			oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", PrivateKey: newKey(t)},
		},
		"a person and a secret": {
			oauthserver.Options{NoRegistration: true, ClientID: "robot", ClientSecret: "s3cret", AuthMethod: "client_secret_post"},
			oauth.Config{ClientID: "robot", ClientSecret: "s3cret"},
		},
	}
}

// use uses the secret of a client: in a request, or in a whole login.
func use(t *testing.T, s *oauth.Session, as *oauthserver.Server, c oauth.Config) error {
	t.Helper()
	if c.Machine() {
		_, err := send(t, s, as, ping)
		return err
	}
	attempt, err := s.Begin(t.Context(), redirect)
	if err != nil {
		return err
	}
	return attempt.Finish(t.Context(), as.Agree(t, attempt.URL()).Query())
}

// The MCP server names its authorization server. If that is not the configured one, it receives
// nothing, and the error names both.
func TestAnotherIssuerGetsNothing(t *testing.T) {
	for name, client := range secretClients(t) {
		t.Run(name, func(t *testing.T) {
			as := oauthserver.Start(t, client.server)
			client.config.Issuer = "https://login.example.com"
			s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Config = client.config })
			err := use(t, s, as, client.config)
			var other *oauth.IssuerError
			if !errors.As(err, &other) || toolscript.KindOf(err) != toolscript.Invalid {
				t.Fatalf("got %v, want an IssuerError of kind invalid", err)
			}
			for _, issuer := range []string{as.URL, client.config.Issuer} {
				if !strings.Contains(err.Error(), issuer) {
					t.Errorf("%s is not named: %v", issuer, err)
				}
			}
			checkNothingSent(t, as)
		})
	}
}

func checkNothingSent(t *testing.T, as *oauthserver.Server) {
	t.Helper()
	for _, endpoint := range []string{"token", "register", "authorize", "revoke"} {
		if n := as.Count(endpoint); n != 0 {
			t.Errorf("%d requests to %s", n, endpoint)
		}
	}
}

// Without oauth.issuer, a person confirms the issuer at its first use. After that, no process
// accepts another issuer until a logout.
func TestIssuerIsConfirmedAndPinned(t *testing.T) {
	for name, client := range secretClients(t) {
		t.Run(name, func(t *testing.T) {
			as := oauthserver.Start(t, client.server)
			dir := t.TempDir()
			open := func() *oauth.Session {
				return session(t, as, dir, func(o *oauth.Options) { o.Config = client.config })
			}
			s := open()
			err := use(t, s, as, client.config)
			var needed *oauth.LoginError
			if !errors.As(err, &needed) || needed.Issuer != as.URL || toolscript.KindOf(err) != toolscript.Unauthorized {
				t.Fatalf("before the confirmation: %v", err)
			}
			if !strings.Contains(err.Error(), "toolscript auth guarded") || !strings.Contains(err.Error(), as.URL) || !s.NeedsConfirmation() {
				t.Errorf("the error does not help: %v", err)
			}
			checkNothingSent(t, as)

			if err := open().Confirm(t.Context(), as.URL); err != nil { // like another process
				t.Fatal(err)
			}
			if err := use(t, s, as, client.config); err != nil {
				t.Fatal("after the confirmation:", err)
			}
			mustSend(t, open(), as)

			if err := open().Confirm(t.Context(), "https://login.example.com"); err != nil {
				t.Fatal(err)
			}
			before := as.Count("token")
			err = use(t, open(), as, oauth.Config{}) // a new login with the client of the session
			var other *oauth.IssuerError
			if !errors.As(err, &other) || !strings.Contains(err.Error(), as.URL) || !strings.Contains(err.Error(), "https://login.example.com") ||
				!strings.Contains(err.Error(), "toolscript auth logout guarded") {
				t.Errorf("with another one pinned: %v", err)
			}
			if n := as.Count("token") - before; n != 0 {
				t.Errorf("%d token requests with another issuer pinned", n)
			}
			if _, err := open().Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !open().NeedsConfirmation() {
				t.Error("a logout keeps the confirmation")
			}
		})
	}
}

// A token belongs to the issuer that issued it. If another issuer is configured, the token is
// neither sent nor renewed.
func TestTokensAreBoundToTheIssuer(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	login(t, session(t, as, dir, nil), as)
	with := func(issuer string) *oauth.Session {
		return session(t, as, dir, func(o *oauth.Options) { o.Config.Issuer = issuer })
	}
	mustSend(t, with(as.URL+"/"), as)
	if _, err := send(t, with("https://login.example.com"), as, ping); toolscript.KindOf(err) != toolscript.Unauthorized {
		t.Errorf("got %v", err)
	}
	if n := as.Count("refresh_token"); n != 0 {
		t.Errorf("%d renewals", n)
	}
}

// A client registration belongs to one issuer and one resource.
func TestRegistrationsAreBoundToTheResource(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	s := session(t, as, dir, nil)
	login(t, s, as)
	store := oauth.Store{Dir: dir}
	for _, change := range []func(*oauth.Credentials){
		func(c *oauth.Credentials) { c.Resource = as.URL + "/other" },
		func(c *oauth.Credentials) { c.Issuer = "https://login.example.com" },
	} {
		known, err := store.Load("guarded")
		if err != nil {
			t.Fatal(err)
		}
		change(&known)
		if err := store.Save("guarded", known); err != nil {
			t.Fatal(err)
		}
		before := as.Count("register")
		login(t, session(t, as, dir, nil), as)
		if n := as.Count("register") - before; n != 1 {
			t.Errorf("%d registrations, want another one", n)
		}
	}
}

// A refused login is shown as failed in every process, with its reason and time. An existing
// login stays valid.
func TestRefusedLoginHasFailed(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	s := session(t, as, dir, nil)
	if _, err := send(t, s, as, ping); err == nil {
		t.Fatal("the server wants no login")
	}
	if status, _ := s.Status(); status != oauth.Pending {
		t.Errorf("before: %q", status)
	}
	begun := time.Now().Add(-time.Second)
	refuse := func(name, value string) {
		attempt, err := session(t, as, dir, nil).Begin(t.Context(), redirect)
		if err != nil {
			t.Fatal(err)
		}
		if err := attempt.Finish(t.Context(), with(as.Agree(t, attempt.URL()).Query(), name, value)); err == nil {
			t.Error("no error")
		}
	}
	refuse("state", "forged")
	if status, _ := s.Status(); status != oauth.Pending {
		t.Errorf("after a forged redirect: %q", status)
	}
	refuse("error", "access_denied")
	status, reason := s.Status()
	_, at := s.Failure()
	if status != oauth.Failed || !strings.Contains(reason, "access_denied") || at.Before(begun) || at.After(time.Now()) {
		t.Errorf("after a refusal: %q, %q, %s", status, reason, at)
	}
	if _, err := send(t, s, as, ping); err == nil || !strings.Contains(err.Error(), "access_denied, at "+at.Format(time.DateTime)) {
		t.Errorf("a request: %v", err)
	}
	login(t, session(t, as, dir, nil), as)
	if status, reason := s.Status(); status != oauth.Authenticated {
		t.Errorf("after a login: %q, %q", status, reason)
	}
	refuse("error", "access_denied")
	if status, _ := s.Status(); status != oauth.Authenticated {
		t.Errorf("a refusal took the login away: %q", status)
	}
	as.Deny(func(*http.Request) (int, string) { return http.StatusBadRequest, `{"error":"invalid_grant"}` })
	if _, err := session(t, as, dir, nil).Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	refuse("x", "y") // the authorization server refuses the code
	if status, reason := session(t, as, dir, nil).Status(); status != oauth.Failed || !strings.Contains(reason, "invalid_grant") {
		t.Errorf("after a refused code: %q, %q", status, reason)
	}
}

// A refresh token without a known issuer is sent only to an authorization server at the MCP
// server's own origin.
func TestTokensWithoutAnIssuerStay(t *testing.T) {
	elsewhere := oauthserver.Start(t, oauthserver.Options{})
	var at string
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	mux.HandleFunc("/.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q]}`, at+"/mcp", elsewhere.URL)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	at = server.URL
	store := oauth.Store{Dir: t.TempDir()}
	if err := store.Save("old", oauth.Credentials{
		URL: at + "/mcp", Client: oauth.Client{ID: "x"}, Token: oauth.Token{Access: "a", Refresh: "r", Expires: time.Unix(1, 0)},
	}); err != nil {
		t.Fatal(err)
	}
	s, err := oauth.New(oauth.Options{Server: "old", URL: at + "/mcp", Store: store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sendWith(t.Context(), s, at+"/mcp", ping); toolscript.KindOf(err) != toolscript.Unauthorized {
		t.Errorf("got %v", err)
	}
	checkNothingSent(t, elsewhere)
}
