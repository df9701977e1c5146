package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/cmd/mcp"
)

const comment = ":\n\n"

// news returns the next part that is not a comment.
func news(parts <-chan string) string {
	for part := range parts {
		if part != comment {
			return part
		}
	}
	return ""
}

// TestKeepAlive: the stream of a session, and a response for which a client waits, send a comment
// every 25 s unless they send an event.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := mcp.Handler(plain(calling{released: make(chan struct{})}))
		defer stop()
		session := handler{t, h}.session()
		began := time.Now()
		w := writes{http.Header{}, make(chan string, 10)}
		go h.ServeHTTP(w, request(t.Context(), http.MethodGet, session, nil))
		for i := 1; i <= 3; i++ {
			if part := <-w.parts; part != comment || time.Since(began) != time.Duration(i)*25*time.Second {
				t.Errorf("after %s: %q", time.Since(began), part)
			}
		}
		if got := w.header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("the stream is %s", got)
		}
	})
	inBubble(t, func(t *testing.T, send func(string) <-chan string, release func()) {
		t.Helper()
		began := time.Now()
		parts := send(runWithoutToken)
		if part := <-parts; part != comment || time.Since(began) != 25*time.Second {
			t.Errorf("after %s: %q", time.Since(began), part)
		}
		release()
		if part := <-parts; !strings.HasPrefix(part, "event: message\ndata: {") || !strings.HasSuffix(part, "\n\n") || !strings.Contains(part, `"id":7`) {
			t.Errorf("the answer is %q", part)
		}
	})
}
