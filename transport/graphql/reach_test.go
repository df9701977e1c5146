package graphql_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/test/fixture/dns"
	"github.com/toolscript/toolscript/transport/graphql"
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
	file := answers.File(t, "schema.graphql", sdl)
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
			if value, err := answers.Of(t, conn, "when", `{}`); err == nil || reached.Load() != 0 {
				t.Errorf("%s, %d: a call: %v, %v", host, status, value, err)
			}
			api.Close()
		}
	}
}
