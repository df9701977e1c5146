package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/mcp"
)

// TestLateResponses: a client's response is accepted even if its request has ended. A body without a
// valid session, or that is not JSON, is refused.
func TestLateResponses(t *testing.T) {
	h, stop := mcp.Handler(mcp.Options{})
	defer stop()
	web := httptest.NewServer(h)
	defer web.Close()

	post := func(session, body string) (status int, opened string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", session)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close() // the test needs only the status
		return answer.StatusCode, answer.Header.Get("Mcp-Session-Id")
	}
	_, session := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if session == "" {
		t.Fatal("initialize returned no session")
	}
	for _, c := range []struct {
		name, session, body string
		status              int
	}{
		{"late result", session, `{"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`, http.StatusAccepted},
		{"late error", session, `{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}`, http.StatusAccepted},
		{"id as text", session, `{"jsonrpc":"2.0","id":"7","result":{"action":"cancel"}}`, http.StatusAccepted},
		{"without a session", "", `{"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`, http.StatusBadRequest},
		{"unknown session", "mcp-session-00000000-0000-0000-0000-000000000000", `{"jsonrpc":"2.0","id":7,"result":{"action":"cancel"}}`, http.StatusNotFound},
		{"no JSON", session, `{`, http.StatusBadRequest},
	} {
		if status, _ := post(c.session, c.body); status != c.status {
			t.Errorf("%s: %d, want %d", c.name, status, c.status)
		}
	}
}
