package mcp_test

import (
	"net/http"
	"testing"

	"github.com/toolscript/toolscript/cmd/mcp"
)

// TestLateResponses: a client's response is accepted even if its request has ended. A body without a
// valid session, or that is not JSON, is refused.
func TestLateResponses(t *testing.T) {
	h := overHTTP(t, mcp.Options{})
	session := h.session()
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
		if w := h.post(c.session, c.body); w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.status)
		}
	}
}
