package oauth_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/dns"
	"github.com/toolscript/toolscript/transport/oauth"
)

// A server cannot cause requests to addresses that are more internal than its own. Only the address to
// which the client connects counts, not its name.
func TestNamesOfInternalAddresses(t *testing.T) {
	const public, lan = "198.51.100.7", "10.20.30.40"
	for _, test := range []struct {
		name            string
		server          string // address of the server
		internalAddress string // address of the host name in its challenge
		at              string // URL in the challenge; "" for one with that host name
	}{
		{name: "this machine", server: public, internalAddress: "127.0.0.1"},
		{name: "this machine over IPv6", server: public, internalAddress: "::1"},
		{name: "this machine in other words", server: public, internalAddress: "::ffff:127.0.0.1"},
		{name: "this machine by its own name", server: public, at: "http://localhost:"},
		{name: "this machine by its address", server: public, at: "http://127.0.0.1:"},
		{name: "the local network", server: public, internalAddress: lan},
		{name: "the metadata of a cloud", server: public, internalAddress: "169.254.169.254"},
		{name: "NAT64 to this machine", server: public, internalAddress: "64:ff9b::7f00:1"},
		{name: "this machine from the local network", server: lan, internalAddress: "127.0.0.1"},
		{name: "this machine from a name that leads here too", server: "127.0.0.1", internalAddress: "127.0.0.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var reached atomic.Int64
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = listener.Close() })
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return // the listener is closed
					}
					reached.Add(1)
					_ = conn.Close() // only the connection counts
				}
			}()
			hosts := dns.Names{"mcp.example": {test.server}}
			if test.internalAddress != "" {
				hosts["inward.example"] = []string{test.internalAddress}
			}
			hosts.Serve(t)
			_, port, err := net.SplitHostPort(listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			named := "https://inward.example:" + port + "/doc"
			if test.at != "" {
				named = test.at + port + "/doc"
			}
			s, err := oauth.New(oauth.Options{Server: "x", URL: "https://mcp.example/mcp", Store: oauth.Store{Dir: t.TempDir()}})
			if err != nil {
				t.Fatal(err)
			}
			if err := challenge(t, s, named); err == nil {
				t.Fatal("the request was served")
			}
			_, err = s.Begin(t.Context(), redirect)
			if !errors.Is(err, oauth.ErrDiscovery) || !strings.Contains(err.Error(), "public address") {
				t.Errorf("got %v", err)
			}
			if n := reached.Load(); n != 0 {
				t.Errorf("%d connections to this machine", n)
			}
		})
	}
}

// challenge sends a request that the server refuses with a metadata URL.
func challenge(t *testing.T, s *oauth.Session, metadata string) error {
	t.Helper()
	_, err := post(t.Context(), s.Transport(way(func(*http.Request) (*http.Response, error) {
		header := http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + metadata + `"`}}
		return &http.Response{StatusCode: http.StatusUnauthorized, Header: header, Body: http.NoBody}, nil
	})), "https://mcp.example/mcp", ping)
	return err
}

// way is a function that implements RoundTripper.
type way func(*http.Request) (*http.Response, error)

func (w way) RoundTrip(req *http.Request) (*http.Response, error) { return w(req) }

// An authorization server on another machine cannot name endpoints on this machine, even if the MCP
// server is on this machine.
func TestEndpointsInside(t *testing.T) {
	for _, inside := range []string{"http://127.0.0.1:9/token", "http://localhost:9/token", "https://[::1]/token", "https://10.0.0.1/token", "https://intranet/token"} {
		for _, field := range []string{"token_endpoint", "authorization_endpoint", "registration_endpoint", "revocation_endpoint"} {
			s, err := oauth.New(oauth.Options{Server: "x", URL: "http://127.0.0.1:9/mcp", Store: oauth.Store{Dir: t.TempDir()}})
			if err != nil {
				t.Fatal(err)
			}
			s.Via(way(func(r *http.Request) (*http.Response, error) {
				text, status := "", http.StatusNotFound
				switch {
				case r.URL.Host == "as.example" && r.URL.Path == "/.well-known/oauth-authorization-server":
					endpoints := map[string]any{"issuer": "https://as.example", "code_challenge_methods_supported": []string{"S256"}, "token_endpoint": "https://as.example/token", "authorization_endpoint": "https://as.example/authorize"}
					endpoints[field] = inside
					body, err := json.Marshal(endpoints)
					if err != nil {
						return nil, err
					}
					text, status = string(body), http.StatusOK
				case r.URL.Host == "as.example":
				case strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"):
					text, status = `{"resource": "http://127.0.0.1:9/mcp", "authorization_servers": ["https://as.example"]}`, http.StatusOK
				case r.URL.Path == "/token":
					t.Errorf("%s was asked", r.URL)
				}
				return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
			}))
			if _, err := s.Begin(t.Context(), redirect); !errors.Is(err, oauth.ErrDiscovery) || !strings.Contains(err.Error(), "public address") {
				t.Errorf("%s %s: %v", field, inside, err)
			}
		}
	}
}
