package oauth_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

const bearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// write writes a file that another program renews, such as the token of a pod.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAssertionFile checks that each token is requested with the JWT that is in the file at that time.
func TestAssertionFile(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{TokenLife: time.Minute, ClientID: "workload"})
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "token")
	synctest.Test(t, func(t *testing.T) {
		s := session(t, as, dir, func(o *oauth.Options) {
			o.Config = oauth.Config{Grant: oauth.JWTBearer, AssertionFile: path, ClientID: "workload", Issuer: as.URL}
		})
		s.Via(inMemory(as.Handler))
		for n, jwt := range []string{"first.jwt.x", "second.jwt.x"} {
			write(t, path, jwt+"\n")
			as.Accept(jwt)
			if status := serve(t, s, as); status != http.StatusOK || as.Count(bearerGrant) != n+1 {
				t.Errorf("status %d after %d token requests, want 200 after %d", status, as.Count(bearerGrant), n+1)
			}
			time.Sleep(time.Minute) // the lifetime of the token
		}
	})
}

// TestCredentialsRefused checks that refused credentials of a client are neither sent again nor shown.
func TestCredentialsRefused(t *testing.T) {
	for reason, config := range map[string]oauth.Config{
		"invalid_grant":  {Grant: oauth.JWTBearer, Assertion: "old.jwt.x"},
		"invalid_client": {Grant: oauth.ClientCredentials, ClientID: "robot", ClientSecret: "old.jwt.x"},
	} {
		var server oauthserver.Options
		if config.ClientID != "" {
			server = oauthserver.Options{ClientID: config.ClientID, ClientSecret: "right", AuthMethod: "client_secret_basic"}
		}
		as := oauthserver.Start(t, server)
		config.Issuer = as.URL
		s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Config = config })
		for range 2 {
			if _, err := send(t, s, as, ping); toolscript.KindOf(err) != toolscript.Unauthorized || strings.Contains(err.Error(), "old.jwt.x") {
				t.Errorf("error %v, want unauthorized without the credentials", err)
			}
		}
		if status, why := s.Status(); status != oauth.Failed || !strings.Contains(why, reason) {
			t.Errorf("status %q, %q", status, why)
		}
		if n := as.Count("token") - as.Count(bearerGrant) - as.Count(oauth.ClientCredentials); n != 0 {
			t.Errorf("%d requests with another grant", n)
		}
	}
}

func TestAssertionFilesThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"missing": "", "no JWT": "password", "two lines": "a.b\n.c", "huge": strings.Repeat("a.", 1<<17) + "a",
	} {
		t.Run(name, func(t *testing.T) {
			as := oauthserver.Start(t, oauthserver.Options{})
			path := filepath.Join(t.TempDir(), "token")
			if text != "" {
				write(t, path, text)
			}
			s := session(t, as, t.TempDir(), func(o *oauth.Options) {
				o.Config = oauth.Config{Grant: oauth.JWTBearer, AssertionFile: path, Issuer: as.URL}
			})
			_, err := send(t, s, as, ping)
			if err == nil || !strings.Contains(err.Error(), "oauth.assertionFile") || strings.Contains(err.Error(), "password") || as.Count("token") != 0 {
				t.Errorf("error %v, %d token requests", err, as.Count("token"))
			}
		})
	}
}

// provider is the identity provider of a company.
type provider struct {
	*httptest.Server
	kind    string // issued_token_type
	refuses bool
	asked   atomic.Int32
}

func startProvider(t *testing.T, as *oauthserver.Server) *provider {
	t.Helper()
	p := &provider{kind: "urn:ietf:params:oauth:token-type:id-jag"}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		client, secret, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		for name, want := range map[string]string{
			"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
			"subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_token": "id.of.person", "audience": as.URL, "resource": as.MCP, "scope": "read",
		} {
			if got := r.PostFormValue(name); got != want || client != "desk" || secret != "s3cret" {
				t.Errorf("%s is %q, want %q; client %q", name, got, want, client)
			}
		}
		if p.refuses {
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant", "error_description": "id.of.person has expired"})
			return
		}
		as.Accept("jag.for.server")
		_ = json.NewEncoder(w).Encode(map[string]string{"access_token": "jag.for.server", "issued_token_type": p.kind, "token_type": "N_A"})
	}))
	t.Cleanup(p.Close)
	return p
}

// enterprise returns the configuration of a client that gets its tokens through the identity provider.
func (p *provider) enterprise(issuer string) oauth.Config {
	return oauth.Config{
		Grant: oauth.JWTBearer, Assertion: "id.of.person", ClientID: "app", ClientSecret: "app-secret", Issuer: issuer, Scope: "read",
		IDPTokenEndpoint: p.URL + "/token", IDPClientID: "desk", IDPClientSecret: "s3cret",
	}
}

// TestEnterpriseManagedAuthorization exchanges the ID token of a person for a JWT for the authorization
// server, and that JWT for a token.
func TestEnterpriseManagedAuthorization(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{ClientID: "app", ClientSecret: "app-secret", AuthMethod: "client_secret_basic", Scopes: "read"})
	p := startProvider(t, as)
	s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Config = p.enterprise(as.URL) })
	mustSend(t, s, as)
	mustSend(t, s, as)
	if p.asked.Load() != 1 || as.Count(bearerGrant) != 1 {
		t.Errorf("%d exchanges and %d token requests for two requests, want one of each", p.asked.Load(), as.Count(bearerGrant))
	}
}

func TestIdentityProviderFails(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*provider)
		part   string
	}{
		"it refuses":         {func(p *provider) { p.refuses = true }, "invalid_grant"},
		"another token":      {func(p *provider) { p.kind = "urn:ietf:params:oauth:token-type:access_token" }, "id-jag"},
		"it does not answer": {func(p *provider) { p.Close() }, "identity provider"},
	} {
		t.Run(name, func(t *testing.T) {
			as := oauthserver.Start(t, oauthserver.Options{ClientID: "app", ClientSecret: "app-secret", AuthMethod: "client_secret_basic", Scopes: "read"})
			p := startProvider(t, as)
			test.change(p)
			s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Config = p.enterprise(as.URL) })
			_, err := send(t, s, as, ping)
			if err == nil || !strings.Contains(err.Error(), test.part) || strings.Contains(err.Error(), "id.of.person") {
				t.Errorf("error %v, want one with %q and without the ID token", err, test.part)
			}
			if n := as.Count("token"); n != 0 {
				t.Errorf("%d token requests", n)
			}
		})
	}
}

// TestAssertionsNeedAnIssuer checks that no assertion is sent, not even to the identity provider, if only
// the MCP server names the authorization server.
func TestAssertionsNeedAnIssuer(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{ClientID: "app", ClientSecret: "app-secret", AuthMethod: "client_secret_basic", Scopes: "read"})
	p := startProvider(t, as)
	s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Config = p.enterprise("") })
	var needed *oauth.LoginError
	if _, err := send(t, s, as, ping); !errors.As(err, &needed) || needed.Issuer != as.URL {
		t.Errorf("error %v, want one that asks to confirm %s", err, as.URL)
	}
	if p.asked.Load() != 0 || as.Count("token") != 0 {
		t.Errorf("%d requests to the identity provider and %d to the authorization server", p.asked.Load(), as.Count("token"))
	}
}

func TestBearerConfigurationIsChecked(t *testing.T) {
	for name, config := range map[string]oauth.Config{
		"no assertion":                      {Grant: oauth.JWTBearer},
		"two assertions":                    {Grant: oauth.JWTBearer, Assertion: "a.b.c", AssertionFile: "/x"},
		"an assertion for another grant":    {Assertion: "a.b.c"},
		"a provider for another grant":      {IDPTokenEndpoint: "https://idp.example.com/token", IDPClientID: "a"},
		"a provider without an endpoint":    {Grant: oauth.JWTBearer, Assertion: "a.b.c", IDPClientID: "a"},
		"a provider without a client":       {Grant: oauth.JWTBearer, Assertion: "a.b.c", IDPTokenEndpoint: "https://idp.example.com/token"},
		"a provider without encryption":     {Grant: oauth.JWTBearer, Assertion: "a.b.c", IDPClientID: "a", IDPTokenEndpoint: "http://idp.example.com/token"},
		"a secret of a client without name": {Grant: oauth.JWTBearer, Assertion: "a.b.c", ClientSecret: "b"},
	} {
		if err := config.Check(); err == nil || strings.Contains(err.Error(), "a.b.c") {
			t.Errorf("%s: error %v, want one without the assertion", name, err)
		}
	}
}
