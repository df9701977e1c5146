package mcpclient_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The client sends the cookies of the server with all later requests, in addition to those of the configuration.
func TestCookiesOfTheServer(t *testing.T) {
	for _, kind := range []string{upstream.HTTP, upstream.SSE} {
		t.Run(kind, func(t *testing.T) {
			h, cfg := overHTTP(t, kind)
			var mu sync.Mutex
			var came []string
			cfg = behind(t, cfg, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				came = append(came, r.Header.Get("Cookie"))
				mu.Unlock()
				http.SetCookie(w, &http.Cookie{Name: "node", Value: "a", Path: "/"})
				for n := range 100 { // more than a client stores
					http.SetCookie(w, &http.Cookie{Name: fmt.Sprint("more", n), Value: "1", Path: "/elsewhere"})
				}
				h.ServeHTTP(w, r)
			})
			cfg.Headers = map[string]string{"Cookie": "own=1"}
			for range 2 { // a new connection begins without cookies
				c := dial(t, cfg, upstream.Events{})
				text(t, c, "echo", `{"text":"x"}`)
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				mu.Lock()
				if came[0] != "own=1" {
					t.Errorf("the first request has the cookies %q", came[0])
				}
				if i := slices.IndexFunc(came[1:], func(text string) bool { return text != "own=1; node=a" }); i >= 0 {
					t.Errorf("request %d has the cookies %q", i+2, came[i+1])
				}
				came = nil
				mu.Unlock()
			}
		})
	}
}

// A server may accept a request with 202 and answer it on the GET stream.
func TestAnAnswerOnTheStream(t *testing.T) {
	messages, known := make(chan string), make(chan struct{})
	answers := answering(func(w http.ResponseWriter, a asked) string {
		if a.Method == "initialize" {
			return a.result(greeting(upstream.Handshake, "{}"))
		}
		w.WriteHeader(http.StatusAccepted)
		if a.Method == "tools/call" {
			_ = http.NewResponseController(w).Flush()
			messages <- a.result(`{"content":[{"type":"text","text":"fine"}]}`)
		}
		return " "
	})
	front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			answers(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		close(known)
		for {
			select {
			case m := <-messages:
				_, _ = fmt.Fprintf(w, "data: %s\n\n", m)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	c := dial(t, upstream.Config{Type: upstream.HTTP, URL: front}, upstream.Events{})
	<-known
	if got := text(t, c, "echo", `{}`); got != "fine" {
		t.Errorf("echo = %q", got)
	}
}

// If a server accepts a request with 202 and has no stream for the answer, the call fails at once.
func TestAnAnswerThatHasNoStream(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP, "json")
	c := dial(t, behind(t, cfg, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		switch {
		case err != nil || r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case bytes.Contains(body, []byte("tools/call")):
			w.WriteHeader(http.StatusAccepted)
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			h.ServeHTTP(w, r)
		}
	}), upstream.Events{})
	_, err := c.CallTool(kit.Within(t), "echo", nil, nil)
	if err == nil || toolscript.KindOf(err) == toolscript.Timeout || toolscript.SentOf(err) == toolscript.SentNo {
		t.Errorf("error %v, sent: %s", err, toolscript.SentOf(err))
	}
}

// SSE events before the endpoint event are skipped.
func TestEventsBeforeTheEndpoint(t *testing.T) {
	h, cfg := overHTTP(t, upstream.SSE)
	first := "event: ping\ndata: 1\n\nevent: connected\ndata: {}\n\ndata: hello\n\n"
	cfg = behind(t, cfg, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, first)
		}
		h.ServeHTTP(w, r)
	})
	if got := text(t, dial(t, cfg, upstream.Events{}), "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("echo = %q", got)
	}
	first = strings.Repeat(first, 50)
	err, _ := refused(t, cfg, kit.Patience)
	wantText(t, "error", err.Error(), "endpoint")
}

// resetting resets idle connections: it does not answer the second request on a connection.
type resetting struct {
	net.Listener
	on func() bool
}

func (l resetting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &resettingConn{Conn: c, on: l.on}, nil
}

type resettingConn struct {
	net.Conn
	on   func() bool
	sent bool // whether an answer was sent
}

func (c *resettingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 1 && c.sent && c.on() { // net/http reads a single byte in the background
		_ = c.Conn.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *resettingConn) Write(p []byte) (int, error) {
	c.sent = true
	return c.Conn.Write(p)
}

// If an idle connection is reset, the client sends a call of a read-only tool once more. Any other call
// fails and is not sent again.
func TestTheResetOfAnIdleConnection(t *testing.T) {
	h := mcpserver.NewHTTP("json")
	var mu sync.Mutex
	resets := false
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		h.ServeHTTP(w, r)
	}))
	s.Listener = resetting{s.Listener, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return resets
	}}
	s.Start()
	t.Cleanup(s.Close)
	c := dial(t, upstream.Config{Type: upstream.HTTP, URL: s.URL + "/mcp"}, upstream.Events{})
	if _, err := c.ListTools(kit.Within(t)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	resets = true
	mu.Unlock()
	if got := text(t, c, "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("echo = %q", got)
	}
	calls := h.Seen("tools/call")
	_, err := c.CallTool(kit.Within(t), "bump", nil, nil)
	if toolscript.KindOf(err) != toolscript.Unavailable || toolscript.SentOf(err) != toolscript.SentUnknown || h.Seen("tools/call") != calls {
		t.Errorf("bump: %v, sent: %s; %d calls came", err, toolscript.SentOf(err), h.Seen("tools/call")-calls)
	}
	if c.Err() != nil {
		t.Errorf("the connection has ended: %v", c.Err())
	}
}

// Close closes all network connections, even if a RoundTripper wraps the transport.
func TestCloseLeavesNoConnection(t *testing.T) {
	h := mcpserver.NewHTTP("json")
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if open[c] = true; state == http.StateClosed {
			delete(open, c)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	d := mcpclient.Dialer{RoundTripper: func(_ string, _ upstream.Config, base http.RoundTripper) http.RoundTripper {
		return tripper(base.RoundTrip)
	}}
	c, err := d.Dial(kit.Within(t), "srv", upstream.Config{Type: upstream.HTTP, URL: s.URL + "/mcp"}, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	text(t, c, "echo", `{"text":"x"}`)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	kit.Eventually(t, "no open connection", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(open) == 0
	})
}
