package oauth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/oauthserver"
	"github.com/toolscript/toolscript/transport/oauth"
)

func TestLogin(t *testing.T) {
	for _, test := range []struct {
		name   string
		server oauthserver.Options
		config oauth.Config
	}{
		{name: "discovered, registered without a secret"},
		{name: "registered with a secret in a header", server: oauthserver.Options{AuthMethod: "client_secret_basic"}},
		{name: "registered with a secret in the body", server: oauthserver.Options{AuthMethod: "client_secret_post"}},
		{name: "answers with a byte order mark", server: oauthserver.Options{Mark: true, AuthMethod: "client_secret_basic"}},
		{name: "no resource metadata", server: oauthserver.Options{NoResourceMetadata: true}},
		{name: "no metadata at all", server: oauthserver.Options{NoResourceMetadata: true, NoMetadata: true}},
		{name: "no iss in the redirect of a server that promises none", server: oauthserver.Options{NoMetadata: true, CallbackIssuer: "-"}},
		{
			name:   "a client of the configuration",
			server: oauthserver.Options{NoRegistration: true, ClientID: "known", ClientSecret: "s3cret", AuthMethod: "client_secret_basic"},
			config: oauth.Config{ClientID: "known", ClientSecret: "s3cret"},
		},
		{
			name:   "a client ID metadata document",
			server: oauthserver.Options{NoRegistration: true, Documents: true},
			config: oauth.Config{ClientMetadataURL: "https://example.com/client.json"},
		},
		{name: "lifetimes with a fraction, JSON as a text, metadata without a resource", server: oauthserver.Options{OddAnswers: true, Unnamed: true, TokenLife: time.Hour}},
		{name: "tokens that are not bound, from a server that ignores proofs", server: oauthserver.Options{Bound: &oauthserver.Bound{Ignored: true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			as := oauthserver.Start(t, test.server)
			dir := filepath.Join(t.TempDir(), "oauth")
			if test.config.ClientSecret != "" {
				test.config.Issuer = as.URL
			}
			s := session(t, as, dir, func(o *oauth.Options) { o.Config = test.config })
			_, err := send(t, s, as, ping)
			var needed *oauth.LoginError
			if !errors.As(err, &needed) || toolscript.KindOf(err) != toolscript.Unauthorized || strings.Contains(err.Error(), "toolscript auth guarded") == test.server.NoMetadata {
				t.Fatalf("before the login: %v, want a LoginError of kind unauthorized with the command", err)
			}
			login(t, s, as)
			mustSend(t, s, as)
			if status, _ := s.Status(); status != oauth.Authenticated {
				t.Errorf("status %q after the login", status)
			}
			again := session(t, as, dir, func(o *oauth.Options) { o.Config = test.config })
			mustSend(t, again, as)
		})
	}
}

// An invalid redirect causes no request to the token endpoint.
func TestRedirectIsChecked(t *testing.T) {
	for _, test := range []struct{ name, param, value string }{
		{"wrong state", "state", "Zm9yZ2Vk"},
		{"no state", "state", ""},
		{"no code", "code", ""},
		{"another issuer", "iss", "https://evil.example"},
		{"no issuer from a server that promises one", "iss", ""},
		{"refused", "error", "access_denied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			as := oauthserver.Start(t, oauthserver.Options{})
			s := session(t, as, t.TempDir(), nil)
			attempt, err := s.Begin(t.Context(), redirect)
			if err != nil {
				t.Fatal(err)
			}
			query := as.Agree(t, attempt.URL()).Query()
			if err := attempt.Finish(t.Context(), with(query, test.param, test.value)); err == nil {
				t.Error("the redirect was accepted")
			}
			if n := as.Count("token"); n != 0 {
				t.Errorf("%d token requests", n)
			}
			if err := attempt.Finish(t.Context(), query); err != nil {
				t.Errorf("the right redirect afterwards: %v", err)
			}
			if err := attempt.Finish(t.Context(), query); !errors.Is(err, oauth.ErrState) {
				t.Errorf("the same redirect twice: %v", err)
			}
		})
	}
}

func TestMetadataOfAnotherResourceIsRefused(t *testing.T) {
	for _, resource := range []string{"https://evil.example/mcp", "http://127.0.0.1:1/mcp", "not a url"} {
		as := oauthserver.Start(t, oauthserver.Options{Resource: resource})
		_, err := session(t, as, t.TempDir(), nil).Begin(t.Context(), redirect)
		if !errors.Is(err, oauth.ErrDiscovery) || as.Count("register") != 0 {
			t.Errorf("resource %q: %v, %d registrations", resource, err, as.Count("register"))
		}
	}
}

// Metadata of another origin that do not name their resource are refused, because they may belong to any server.
func TestMetadataOfAnotherOriginWithoutResource(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{Unnamed: true})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+as.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(web.Close)
	s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.URL = web.URL })
	if _, err := s.Begin(t.Context(), redirect); !errors.Is(err, oauth.ErrDiscovery) || !strings.Contains(err.Error(), "do not say which resource they are of") || as.Count("register") != 0 {
		t.Errorf("error %v, %d registrations", err, as.Count("register"))
	}
}

func TestMetadataOfAnotherIssuerAreRefused(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{Issuer: "https://other.example"})
	s := session(t, as, t.TempDir(), nil)
	if _, err := s.Begin(t.Context(), redirect); !errors.Is(err, oauth.ErrDiscovery) {
		t.Errorf("got %v", err)
	}
	_, err := send(t, s, as, ping)
	var needed *oauth.LoginError
	if !errors.As(err, &needed) || needed.Plain || !strings.Contains(needed.Reason, "of another issuer, https://other.example") {
		t.Errorf("a request: %v", err)
	}
}

// TestNoPKCE: a login in a browser needs PKCE, and other grants do not use it.
func TestNoPKCE(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{NoPKCE: true, ClientID: "robot", ClientSecret: "s3cret", AuthMethod: "client_secret_basic"})
	mustSend(t, session(t, as, t.TempDir(), func(o *oauth.Options) {
		o.Config = oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", ClientSecret: "s3cret", Issuer: as.URL}
	}), as)
	if _, err := session(t, as, t.TempDir(), nil).Begin(t.Context(), redirect); !errors.Is(err, oauth.ErrDiscovery) || !strings.Contains(err.Error(), "PKCE") {
		t.Errorf("a login: %v", err)
	}
}

func TestNoRegistrationNamesTheSetting(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{NoRegistration: true})
	_, err := session(t, as, t.TempDir(), nil).Begin(t.Context(), redirect)
	if err == nil || !strings.Contains(err.Error(), "oauth.clientId") {
		t.Errorf("got %v", err)
	}
}

func TestRegistrationIsReused(t *testing.T) {
	as := oauthserver.Start(t, oauthserver.Options{})
	dir := t.TempDir()
	for range 2 {
		login(t, session(t, as, dir, nil), as)
	}
	if n := as.Count("register"); n != 1 {
		t.Errorf("%d registrations for one redirect, want 1", n)
	}
	s := session(t, as, dir, nil)
	attempt, err := s.Begin(t.Context(), "http://127.0.0.1:8/oauth/callback")
	if err != nil {
		t.Fatal(err)
	}
	if n := as.Count("register"); n != 2 {
		t.Errorf("%d registrations after a flow that comes back to another port, want 2", n)
	}
	if err := attempt.Finish(t.Context(), as.Agree(t, attempt.URL()).Query()); err != nil {
		t.Error(err)
	}
}

func TestClientCredentials(t *testing.T) {
	for _, test := range []struct {
		name   string
		server oauthserver.Options
		config oauth.Config
	}{
		{
			"secret", oauthserver.Options{ClientID: "robot", ClientSecret: "s3cret", AuthMethod: "client_secret_basic"},
			oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", ClientSecret: "s3cret"},
		},
		{
			"private key", oauthserver.Options{ClientID: "robot", AuthMethod: "private_key_jwt"},
			oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", PrivateKey: newKey(t)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			as := oauthserver.Start(t, test.server)
			test.config.Issuer = as.URL
			s := session(t, as, t.TempDir(), func(o *oauth.Options) { o.Config = test.config })
			mustSend(t, s, as)
			mustSend(t, s, as)
			if n := as.Count(oauth.ClientCredentials); n != 1 {
				t.Errorf("%d token requests for two requests, want 1", n)
			}
			if test.config.PrivateKey == "" {
				return
			}
			var assertion string
			for _, secret := range as.Secrets() {
				if strings.Count(secret, ".") == 2 {
					assertion = secret
				}
			}
			if assertion == "" {
				t.Error("no assertion was sent")
			}
		})
	}
}

func TestStepUp(t *testing.T) {
	const admin = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"admin"}}`
	as := oauthserver.Start(t, oauthserver.Options{Scopes: "read"})
	dir := t.TempDir()
	s := session(t, as, dir, nil)
	login(t, s, as)
	_, err := send(t, s, as, admin)
	var needed *oauth.LoginError
	if !errors.As(err, &needed) || toolscript.KindOf(err) != toolscript.Forbidden || !strings.Contains(err.Error(), "admin") {
		t.Fatalf("without the scope: %v", err)
	}
	mustSend(t, s, as) // other requests still work

	login(t, session(t, as, dir, nil), as) // like another process, which has not seen the challenge
	if status, err := send(t, s, as, admin); err != nil || status != http.StatusOK {
		t.Errorf("with the scope: %d, %v", status, err)
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	for name, config := range map[string]oauth.Config{
		"client credentials without a client":   {Grant: oauth.ClientCredentials},
		"client credentials without a secret":   {Grant: oauth.ClientCredentials, ClientID: "a"},
		"a secret and a key":                    {ClientID: "a", ClientSecret: "b", PrivateKey: "c"},
		"a secret of nobody":                    {ClientSecret: "b"},
		"a key that is none":                    {ClientID: "a", PrivateKey: "top secret"},
		"a document that is not on the network": {ClientMetadataURL: "http://example.com/client.json"},
		"a document without a path":             {ClientMetadataURL: "https://example.com"},
		"an issuer that is no address":          {Issuer: "example.com"},
		"an issuer without encryption":          {Issuer: "http://example.com"},
	} {
		err := config.Check()
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "top secret") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}
