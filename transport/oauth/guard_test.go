package oauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/transport/oauth"
)

func TestOnlySafeURLsAreOpened(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://as.example/authorize?x=1":  true,
		"http://127.0.0.1:8080/authorize":   true,
		"http://localhost/authorize":        true,
		"http://[::1]:1/authorize":          true,
		"http://as.example/authorize":       false,
		"http://127.0.0.1.evil.example/":    false,
		"http://localhost.evil.example/":    false,
		"file:///etc/passwd":                false,
		"javascript:alert(1)":               false,
		"https:evil":                        false,
		"https://user:pw@as.example/":       false,
		"calc.exe":                          false,
		"":                                  false,
		"https://":                          false,
		"\x00https://as.example":            false,
		"ms-settings:privacy":               false,
		"https://as.example/$(touch /x)`a`": true, // passed to a program as an argument, not to a shell
	} {
		if err := oauth.CheckURL(address); (err == nil) != ok {
			t.Errorf("CheckURL(%q) = %v", address, err)
		}
	}
}

// The client restricts the URLs of metadata that a server names.
func TestDiscoveryRefusesOtherAddresses(t *testing.T) {
	for _, test := range []struct {
		name     string
		metadata string // URL in the challenge; %s is the server's own origin
		document string // content of /doc
		redirect string // target of /moved
	}{
		{name: "plain http to the network", metadata: "http://10.0.0.1/doc"},
		{name: "a file", metadata: "file:///etc/passwd"},
		{name: "the metadata service of a cloud", metadata: "http://169.254.169.254/latest/meta-data"},
		{name: "a redirect to plain http", metadata: "%s/moved", redirect: "http://192.168.0.1/"},
		{name: "an authorization server that is a script", metadata: "%s/doc", document: `{"resource":"%s/mcp","authorization_servers":["javascript:alert(1)"]}`},
		{name: "an authorization server over plain http", metadata: "%s/doc", document: `{"resource":"%s/mcp","authorization_servers":["http://10.0.0.1"]}`},
		{name: "no authorization server", metadata: "%s/doc", document: `{"resource":"%s/mcp"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var at string
			mux := http.NewServeMux()
			mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) {
				named := strings.ReplaceAll(test.metadata, "%s", at)
				w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata=%q`, named))
				w.WriteHeader(http.StatusUnauthorized)
			})
			mux.HandleFunc("/doc", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprint(w, strings.ReplaceAll(test.document, "%s", at))
			})
			mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, test.redirect, http.StatusFound)
			})
			server := httptest.NewServer(mux)
			defer server.Close()
			at = server.URL
			s, err := oauth.New(oauth.Options{Server: "x", URL: at + "/mcp", Store: oauth.Store{Dir: t.TempDir()}})
			if err != nil {
				t.Fatal(err)
			}
			attempt, err := s.Begin(t.Context(), redirect)
			if err == nil {
				t.Errorf("a flow at %s", attempt.URL())
			}
		})
	}
}

// Credentials are not sent to the target of a token endpoint's redirect.
func TestCredentialsAreNotSentOn(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	var at string
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":%q,"authorization_endpoint":%q,"code_challenge_methods_supported":["S256"]}`,
			at, at+"/token", at+"/authorize")
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/?code=leaked", http.StatusTemporaryRedirect)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	at = server.URL
	s, err := oauth.New(oauth.Options{
		Server: "x", URL: at + "/mcp", Store: oauth.Store{Dir: t.TempDir()},
		Config: oauth.Config{Grant: oauth.ClientCredentials, ClientID: "robot", ClientSecret: "s3cret", Issuer: at},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sendWith(t.Context(), s, at+"/mcp", ping)
	if err == nil || strings.Contains(err.Error(), "leaked") {
		t.Errorf("got %v", err)
	}
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests went on", n)
	}
}
