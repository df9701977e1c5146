package mcpclient_test

import (
	"net/http"
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
			answers := answering(func(_ http.ResponseWriter, a asked) string {
				switch a.Method {
				case "initialize":
					return a.result(greeting(upstream.Handshake, tt.capability))
				case "tools/list":
					return a.result(tt.list)
				}
				return ""
			})
			c := dial(t, upstream.Config{Type: upstream.HTTP, URL: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || !tt.stream {
					answers(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}))}, upstream.Events{})
			if _, err := c.ListTools(kit.Within(t)); err != nil {
				t.Fatal(err)
			}
			if got := c.ListAge(); got != tt.want {
				t.Errorf("ListAge = %s, want %s", got, tt.want)
			}
		})
	}
}
