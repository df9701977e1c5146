package graphql_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/dns"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestRedirectInside: an endpoint with a public name cannot redirect to this machine, neither
// requests for its schema nor calls.
func TestRedirectInside(t *testing.T) {
	dns.Names{"*": {"127.0.0.1"}}.Serve(t)
	var reached atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		_, _ = w.Write([]byte(`{"data": {"when": "now"}}`))
	}))
	defer inside.Close()
	file := filepath.Join(t.TempDir(), "schema.graphql")
	if err := os.WriteFile(file, []byte(sdl), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "inside.example", "0x7f.1", "[::ffff:7f00:1]"} {
		for _, status := range []int{http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect} {
			asked := false
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = true
				http.Redirect(w, r, "http://"+host+":"+port, status)
			}))
			at := strings.Replace(api.URL, "127.0.0.1", "api.example", 1)
			if _, err := dial(t, graphql.Settings{URL: at}); err == nil || reached.Load() != 0 || !asked {
				t.Errorf("%s, %d: the schema: %v, %d requests", host, status, err, reached.Load())
			}
			conn, err := dial(t, graphql.Settings{URL: at, Spec: file})
			if err != nil {
				t.Fatal(err)
			}
			if value, err := call(t, conn, "when", `{}`); err == nil || reached.Load() != 0 {
				t.Errorf("%s, %d: a call: %v, %v", host, status, value, err)
			}
			api.Close()
		}
	}
}

// call calls a tool and returns its result.
func call(t *testing.T, conn *upstream.Conn, tool, args string) (string, error) {
	t.Helper()
	type answer struct {
		result json.RawMessage
		err    error
	}
	done := make(chan answer, 1)
	conn.Start(upstream.ToolCall{Ctx: t.Context(), Tool: tool, Args: json.RawMessage(args), Done: func(r json.RawMessage, err error) { done <- answer{r, err} }})
	a := <-done
	return string(a.result), a.err
}
