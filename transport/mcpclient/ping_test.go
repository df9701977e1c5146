package mcpclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestNoMessageHasNullParams sends every kind of message to a server that drops
// messages with "params": null, as the TypeScript SDK does.
func TestNoMessageHasNullParams(t *testing.T) {
	onEveryWire(t, func(t *testing.T, wire string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		if err := c.Ping(kit.Within(t)); err != nil {
			t.Errorf("Ping: %v", err)
		}
		if _, err := c.ListTools(kit.Within(t)); err != nil {
			t.Errorf("ListTools: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := c.CallTool(ctx, "never", nil, func() {}); toolscript.KindOf(err) != toolscript.Timeout {
			t.Errorf("the tool never: %v", err)
		}
		kit.Eventually(t, "notifications/cancelled", func() bool { return string(sentCall(t, c, "cancelled", `{}`).StructuredContent) == `{"seen":1}` })
		if wire != "bodies" { // "bodies" has no stream for requests of the server
			for _, method := range []string{"ping", "roots/list", "no/such"} {
				text(t, c, "ask", `{"method":"`+method+`"}`)
			}
		}
		if got := string(sentCall(t, c, "nulls", `{}`).StructuredContent); got != `{"seen":0}` {
			t.Errorf("messages with null params: %s", got)
		}
	})
}

// A failed ping does not end the connection, because a call may be in flight on it.
func TestAPingDoesNotEndTheConnection(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP)
	c := dial(t, cfg, upstream.Events{})
	for status, want := range map[int]toolscript.Kind{
		http.StatusUnauthorized: "", http.StatusServiceUnavailable: toolscript.Unavailable, http.StatusForbidden: "", http.StatusTooManyRequests: "",
	} {
		h.Refuse(status, 1)
		if err := c.Ping(kit.Within(t)); toolscript.KindOf(err) != want {
			t.Errorf("Ping answered with HTTP %d: %v, want kind %q", status, err, want)
		}
		if got := text(t, c, "echo", `{"text":"x"}`); got != "x" || c.Err() != nil {
			t.Errorf("after HTTP %d: echo = %q, Err = %v", status, got, c.Err())
		}
	}
}

// The error says that the server is unreachable. The server has no GET stream, because the end of
// that stream would end the connection.
func TestPingOfAnEndedServer(t *testing.T) {
	h := mcpserver.NewHTTP("json")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.Error(w, "no stream", http.StatusMethodNotAllowed)
			return
		}
		h.ServeHTTP(w, r)
	}))
	c := dial(t, upstream.Config{Type: upstream.HTTP, URL: s.URL + "/mcp"}, upstream.Events{})
	s.Close()
	kit.Eventually(t, "ErrUnreachable", func() bool { // the first ping may use a connection that is still open
		err := c.Ping(kit.Within(t))
		return errors.Is(err, upstream.ErrUnreachable) && toolscript.KindOf(err) == toolscript.Unavailable
	})
	if c.Err() != nil {
		t.Errorf("the ping has ended the connection: %v", c.Err())
	}
}
