package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/dns"
	"github.com/toolscript/toolscript/transport/egress"
)

// inside are notations of a server's address on this machine, with %s for its port.
var inside = []string{
	"http://127.0.0.1:%s/", "http://localhost:%s/", "http://LOCALHOST.:%s/", "http://127.0.0.1.:%s/", "http://127.1:%s/", "http://2130706433:%s/",
	"http://0x7f000001:%s/", "http://0:%s/", "http://0.0.0.0:%s/", "http://[::ffff:127.0.0.1]:%s/", "http://[::1]:%s/", "http://inside.example:%s/",
	"http://both.example:%s/", "http://mapped.example:%s/", "//127.0.0.1:%s/", "http://user@127.0.0.1:%s/",
}

var names = dns.Names{
	"api.example": {"127.0.0.1"}, "inside.example": {"127.0.0.1"}, "both.example": {"10.0.0.1", "127.0.0.1"}, "mapped.example": {"::ffff:127.0.0.1"},
	"*": {"127.0.0.1"},
}

// counted starts a server on this machine that counts its requests.
func counted(t *testing.T) (port string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(s.Close)
	return portOf(t, s.URL), requests
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	return parse(t, address).Port()
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// redirecting starts a server that redirects to the address in its query.
func redirecting(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, way http.RoundTripper, address string) error {
	t.Helper()
	resp, err := (&http.Client{Transport: way}).Get(address)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	return err
}

func refused(err error) bool { return errors.As(err, new(*egress.RefusedError)) }

// TestRedirectsInside: the name that the user wrote may resolve to any address, but a redirect of that
// server cannot lead to another server on this machine.
func TestRedirectsInside(t *testing.T) {
	names.Serve(t)
	api := redirecting(t)
	port, requests := counted(t)
	written := "http://api.example:" + portOf(t, api.URL)
	g := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{parse(t, written)}, Hint: "write it"})
	defer g.CloseIdleConnections()
	if err := get(t, g, written); err != nil {
		t.Fatalf("the address as written: %v", err)
	}
	if err := get(t, g, written+"?to=/again"); err != nil {
		t.Errorf("its own origin: %v", err)
	}
	for _, form := range inside {
		to := fmt.Sprintf(form, port)
		err := get(t, g, written+"?to="+url.QueryEscape(to))
		if err == nil || requests.Load() != 0 {
			t.Errorf("%s: %v, %d requests", to, err, requests.Load())
		}
		// After two redirects.
		err = get(t, g, written+"?to="+url.QueryEscape("/?to="+url.QueryEscape(to)))
		if err == nil || requests.Load() != 0 {
			t.Errorf("%s after two redirects: %v, %d requests", to, err, requests.Load())
		}
	}
	if err := get(t, g, written+"?to="+url.QueryEscape(strings.Replace(written, "api", "ap\u0130", 1))); err == nil {
		t.Error("a name that differs in the dot of a capital i counts as the written one")
	}
	err := get(t, g, written+"?to="+url.QueryEscape("http://127.0.0.1:"+port))
	if !refused(err) || !strings.Contains(err.Error(), "127.0.0.1 is not a public address") || !strings.Contains(err.Error(), "write it") {
		t.Errorf("got %v", err)
	}
}

// TestNamedByNoServer: addresses in a document or a script are treated like those of a public server.
func TestNamedByNoServer(t *testing.T) {
	names.Serve(t)
	port, requests := counted(t)
	g := egress.NewGuard(egress.GuardOptions{})
	for _, form := range inside {
		if to := fmt.Sprintf(form, port); strings.HasPrefix(to, "http") {
			if err := get(t, g, to); err == nil || requests.Load() != 0 {
				t.Errorf("%s: %v, %d requests", to, err, requests.Load())
			}
		}
	}
	for _, allowed := range []string{"127.0.0.1", "127.0.0.0/8", "127.0.0.1:" + port} {
		if err := get(t, egress.NewGuard(egress.GuardOptions{Allowed: []string{allowed}}), "http://127.0.0.1:"+port); err != nil {
			t.Errorf("%s: %v", allowed, err)
		}
	}
}

// TestLocalServers: if the user wrote the address of a server on this machine, the server may redirect to
// other servers on this machine, even on other ports.
func TestLocalServers(t *testing.T) {
	api := redirecting(t)
	port, requests := counted(t)
	for i, host := range []string{"127.0.0.1", "localhost"} {
		written := "http://" + host + ":" + portOf(t, api.URL)
		g := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{parse(t, written)}})
		if err := get(t, g, written+"?to="+url.QueryEscape("http://127.0.0.1:"+port)); err != nil || requests.Load() != int64(i)+1 {
			t.Errorf("%s: %v, %d requests", host, err, requests.Load())
		}
		g.CloseIdleConnections()
	}
}

// TestConnectionsAreNotShared: a redirect must be allowed for each server in its chain: a server on this machine redirects to a
// public server, which redirects back. A connection that another request was allowed to make is not reused for that.
func TestConnectionsAreNotShared(t *testing.T) {
	names.Serve(t)
	api := redirecting(t)
	port, requests := counted(t)
	written := "http://127.0.0.1:" + portOf(t, api.URL)
	g := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{parse(t, written)}, Allowed: []string{"middle.example"}})
	defer g.CloseIdleConnections()
	to := url.QueryEscape("http://127.0.0.1:" + port)
	if err := get(t, g, written+"?to="+to); err != nil || requests.Load() != 1 {
		t.Fatalf("%v, %d requests", err, requests.Load())
	}
	middle := "http://middle.example:" + portOf(t, api.URL) + "?to=" + to
	if err := get(t, g, written+"?to="+url.QueryEscape(middle)); !refused(err) || requests.Load() != 1 {
		t.Errorf("%v, %d requests", err, requests.Load())
	}
}

// TestProxy: a proxy resolves names, so hosts are checked as the proxy is asked for them.
func TestProxy(t *testing.T) {
	var asked atomic.Pointer[string]
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.URL.Host
		asked.Store(&host)
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}))
	defer proxy.Close()
	base := &http.Transport{Proxy: http.ProxyURL(parse(t, proxy.URL))}
	g := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{parse(t, "http://api.example.com/v1")}, Base: base})
	defer g.CloseIdleConnections()
	for to, allowed := range map[string]bool{
		"http://other.example.com/": true, "http://93.184.215.14/": true,
		"http://127.0.0.1/": false, "http://10.0.0.1/": false, "http://localhost/": false, "http://intranet/": false, "http://169.254.169.254/latest": false,
		"http://metadata.google.internal/": false, "http://[::1]/": false, "http://0x7f000001/": false, "http://api.example.com/v2": true,
		"https://127.0.0.\uff11/": false, "https://169.254.169\u3002\uff12\uff15\uff14/": false, "https://metadata.google.\uff49nternal/": false, // the proxy is asked for digits and letters of ASCII
	} {
		asked.Store(nil)
		err := get(t, g, "http://api.example.com/v1?to="+url.QueryEscape(to))
		if got := *asked.Load(); refused(err) == allowed || allowed != (got == parse(t, to).Host) {
			t.Errorf("%s: %v, the proxy was asked for %s", to, err, got)
		}
	}
}

// TestRebinding: the connections to a server decide about its network. If the name of a public server later
// resolves to an address in the local network, redirects of the server still cannot lead there.
func TestRebinding(t *testing.T) {
	dns.Names{"*": {"192.168.255.254"}}.Serve(t)
	g := egress.NewGuard(egress.GuardOptions{Written: []*url.URL{parse(t, "https://api.example")}})
	r := g.Watch(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.example/v1", nil))
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{Conn: publicConn{}})
	for _, at := range []string{"other.example:443", "192.168.255.254:443", "127.0.0.1:443"} {
		if _, err := g.Dial(t.Context(), "tcp", at); !refused(err) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// publicConn is a connection to a public address.
type publicConn struct{ net.Conn }

func (publicConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("93.184.215.14:443"))
}

func TestSameOrigin(t *testing.T) {
	at := parse(t, "https://api.example/a")
	for address, same := range map[string]bool{
		"HTTPS://API.example:443/b?c": true, "https://user@api.example": true,
		"http://api.example:443": false, "https://api.example:8443": false, "https://api.example.": false, "//api.example": false,
		"https://ap\u0130.example": false, // a connection leads to another host
	} {
		if got := egress.SameOrigin(at, parse(t, address)); got != same {
			t.Errorf("%s: %t", address, got)
		}
	}
}
