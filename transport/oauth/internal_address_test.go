package oauth_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/toolscript/toolscript/transport/oauth"
)

// names maps host names to addresses, for the lookups of this process.
type names map[string]string

// serve makes n the resolver of this process until the test ends.
func (n names) serve(t *testing.T) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	done := make(chan struct{})
	t.Cleanup(func() { net.DefaultResolver = before; _ = conn.Close(); <-done })
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return // closed
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:size]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			m.Answers = n.answer(m.Questions[0])
			if text, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(text, from) // the resolver repeats a query without an answer
			}
		}
	}()
}

func (n names) answer(q dnsmessage.Question) []dnsmessage.Resource {
	address, ok := n[strings.TrimSuffix(q.Name.String(), ".")]
	if !ok {
		return nil
	}
	ip := netip.MustParseAddr(address)
	resource := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}}
	switch {
	case ip.Is4() && q.Type == dnsmessage.TypeA:
		resource.Body = &dnsmessage.AResource{A: ip.As4()}
	case ip.Is6() && q.Type == dnsmessage.TypeAAAA:
		resource.Body = &dnsmessage.AAAAResource{AAAA: ip.As16()}
	default:
		return nil
	}
	return []dnsmessage.Resource{resource}
}

// A server cannot cause requests to addresses more internal than its own. The dialled
// address counts, not the name.
func TestNamesOfInternalAddresses(t *testing.T) {
	const public, lan = "198.51.100.7", "10.20.30.40"
	for _, test := range []struct {
		name            string
		server          string // address of the server
		internalAddress string // address of the name in its challenge
		at              string // URL in the challenge, "" for that name
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
						return // closed
					}
					reached.Add(1)
					_ = conn.Close() // only the connection counts
				}
			}()
			hosts := names{"mcp.example": test.server}
			if test.internalAddress != "" {
				hosts["inward.example"] = test.internalAddress
			}
			hosts.serve(t)
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
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://mcp.example/mcp", strings.NewReader(ping))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Transport(way(func(*http.Request) (*http.Response, error) {
		header := http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + metadata + `"`}}
		return &http.Response{StatusCode: http.StatusUnauthorized, Header: header, Body: http.NoBody}, nil
	})).RoundTrip(req)
	if err == nil {
		_ = resp.Body.Close() // the body is empty
	}
	return err
}

// way is a RoundTripper that calls a function.
type way func(*http.Request) (*http.Response, error)

func (w way) RoundTrip(req *http.Request) (*http.Response, error) { return w(req) }
