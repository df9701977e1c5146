package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestListAge: if a server cannot announce changes of its tool list, the list may be used for the time
// that the server sets, or for five minutes.
func TestListAge(t *testing.T) {
	for name, tt := range map[string]struct {
		capability, list string
		stream           bool // whether the server has a stream for notifications
		want             time.Duration
	}{
		"announces":              {`{"listChanged":true}`, `{"tools":[]}`, true, 0},
		"has no stream":          {`{"listChanged":true}`, `{"tools":[]}`, false, 5 * time.Minute},
		"announces nothing":      {`{}`, `{"tools":[]}`, true, 5 * time.Minute},
		"names a time":           {`{}`, `{"tools":[],"ttlMs":60000}`, false, time.Minute},
		"names no time at all":   {`{}`, `{"tools":[],"ttlMs":0}`, false, time.Second},
		"names a negative time":  {`{}`, `{"tools":[],"ttlMs":-5}`, false, time.Second},
		"names a very long time": {`{}`, `{"tools":[],"ttlMs":9223372036854775807}`, false, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && tt.stream {
					w.Header().Set("Content-Type", "text/event-stream")
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
					return
				}
				var m struct {
					ID     json.RawMessage
					Method string
				}
				text, err := io.ReadAll(r.Body)
				if err != nil || json.Unmarshal(text, &m) != nil {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				switch m.Method {
				case "initialize":
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":%s},"serverInfo":{"name":"s","version":"1"}}}`, m.ID, upstream.Handshake, tt.capability)
				case "tools/list":
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, tt.list)
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			}))
			t.Cleanup(func() {
				s.CloseClientConnections()
				s.Close()
			})
			c := dial(t, upstream.Config{Type: upstream.HTTP, URL: s.URL}, upstream.Events{})
			if _, err := c.ListTools(kit.Within(t)); err != nil {
				t.Fatal(err)
			}
			if got := c.ListAge(); got != tt.want {
				t.Errorf("ListAge = %s, want %s", got, tt.want)
			}
		})
	}
}
