package egress_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/egress"
)

// hanging is a server whose path /hang answers when the test allows it.
type hanging struct {
	*httptest.Server
	guard  *egress.Guard
	came   chan struct{} // gets an entry for each request to /hang
	answer chan struct{} // closed to let /hang answer

	mu    sync.Mutex
	conns map[net.Conn]bool // all connections, and whether they are open
}

func newHanging(t *testing.T, http2 bool) *hanging {
	t.Helper()
	h := &hanging{came: make(chan struct{}, 10), answer: make(chan struct{}), conns: map[net.Conn]bool{}}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			h.came <- struct{}{}
			select {
			case <-h.answer:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	h.EnableHTTP2 = http2
	h.Config.ConnState = func(c net.Conn, state http.ConnState) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.conns[c] = state != http.StateClosed
	}
	h.StartTLS()
	t.Cleanup(h.Close)
	base := h.Client().Transport.(*http.Transport).Clone()
	h.guard = egress.NewGuard(egress.GuardOptions{Written: []*url.URL{parse(t, h.URL)}, Base: base})
	t.Cleanup(h.guard.CloseIdleConnections)
	return h
}

// connections returns the number of all connections and of the open ones.
func (h *hanging) connections() (all, open int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, is := range h.conns {
		if is {
			open++
		}
	}
	return len(h.conns), open
}

func (h *hanging) get(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := h.guard.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// hang begins a request that is not answered yet, and waits until it has come. The channel receives its error.
func (h *hanging) hang(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := h.get(ctx, "/hang")
		ended <- err
	}()
	<-h.came
	return ended
}

// After the timeout of a request, its connection accepts no new request, and is closed when its other
// requests have ended. The cancellation of a request has no such effect.
func TestAConnectionWithALateRequestIsGivenUp(t *testing.T) {
	for _, tt := range []struct {
		why   error
		conns int
	}{
		{context.Canceled, 1},
		{context.DeadlineExceeded, 2},
		{&toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("no answer in time")}, 2},
	} {
		h := newHanging(t, true)
		if proto, err := h.get(t.Context(), "/"); proto != "HTTP/2.0" || err != nil {
			t.Fatalf("%s, %v", proto, err)
		}
		other := h.hang(context.WithoutCancel(t.Context()))
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := h.hang(ctx)
		cancel(tt.why)
		if err := <-ended; err == nil {
			t.Error("the late request has succeeded")
		}
		if _, err := h.get(t.Context(), "/"); err != nil {
			t.Errorf("a request after %v: %v", tt.why, err)
		}
		if all, _ := h.connections(); all != tt.conns {
			t.Errorf("%d connections after %v, want %d", all, tt.why, tt.conns)
		}
		close(h.answer)
		if err := <-other; err != nil {
			t.Errorf("the other request after %v: %v", tt.why, err)
		}
		kit.Eventually(t, "one open connection", func() bool { _, open := h.connections(); return open == 1 })
	}
}

// A connection is closed at the timeout of its only request.
func TestAConnectionWithOneLateRequestIsClosed(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		h := newHanging(t, http2)
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := h.hang(ctx)
		cancel(context.DeadlineExceeded)
		if err := <-ended; err == nil {
			t.Error("the late request has succeeded")
		}
		kit.Eventually(t, "no open connection", func() bool { _, open := h.connections(); return open == 0 })
	}
}

// CloseIdleConnections closes a busy connection as soon as its request has ended.
func TestBusyConnectionsAreClosedLater(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		h := newHanging(t, http2)
		other := h.hang(context.WithoutCancel(t.Context()))
		h.guard.CloseIdleConnections()
		close(h.answer)
		if err := <-other; err != nil {
			t.Errorf("the request: %v", err)
		}
		kit.Eventually(t, "no open connection", func() bool { _, open := h.connections(); return open == 0 })
	}
}

func TestProxyFromEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		environment map[string]string
		plain, tls  string // proxies for http and https addresses
	}{
		"none":       {nil, "", ""},
		"all":        {map[string]string{"ALL_PROXY": "socks5://proxy.test:1080"}, "socks5://proxy.test:1080", "socks5://proxy.test:1080"},
		"small":      {map[string]string{"all_proxy": "http://proxy.test:1"}, "http://proxy.test:1", "http://proxy.test:1"},
		"others win": {map[string]string{"ALL_PROXY": "http://all.test:1", "HTTPS_PROXY": "http://tls.test:1"}, "http://all.test:1", "http://tls.test:1"},
		"exceptions": {map[string]string{"ALL_PROXY": "http://all.test:1", "NO_PROXY": "mcp.test"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
				t.Setenv(variable, tt.environment[variable])
			}
			proxy := egress.ProxyFromEnvironment()
			for address, want := range map[string]string{"http://mcp.test/": tt.plain, "https://mcp.test/": tt.tls, "http://localhost/": ""} {
				to, err := proxy(&http.Request{URL: parse(t, address)})
				if got := text(to); got != want || err != nil {
					t.Errorf("%s: %q, %v; want %q", address, got, err, want)
				}
			}
		})
	}
}

// TestProxyOfAnUnknownScheme: no request bypasses a proxy whose scheme net/http does not know.
func TestProxyOfAnUnknownScheme(t *testing.T) {
	for _, variable := range []string{"ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "all_proxy", "http_proxy", "https_proxy", "no_proxy"} {
		t.Setenv(variable, "")
	}
	t.Setenv("ALL_PROXY", "socks4://user:s3cret@proxy.test:1080")
	_, err := (&http.Client{Transport: egress.NewTransport()}).Get("http://mcp.test/") //nolint:bodyclose // there is no response
	if err == nil || !strings.Contains(err.Error(), `has the scheme "socks4", which is not supported; it must be one of http, https, socks5, socks5h`) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

func text(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.String()
}
