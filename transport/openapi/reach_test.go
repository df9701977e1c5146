package openapi_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/answers"
	"github.com/toolscript/toolscript/test/fixture/dns"
	"github.com/toolscript/toolscript/transport/openapi"
)

// inside starts a server on this machine that no API may reach, and returns notations of its address.
func inside(t *testing.T) (forms []string, reached *atomic.Int64) {
	t.Helper()
	reached = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ok": true}`))
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "inside.example", "2130706433", "0.0.0.0", "[::ffff:127.0.0.1]", "127.0.0.1."} {
		forms = append(forms, "http://"+host+":"+port)
	}
	return forms, reached
}

// byName replaces the host of an address by the name of a public host.
func byName(address string) string {
	return strings.Replace(address, "127.0.0.1", "api.example", 1)
}

var lookups = dns.Names{"*": {"127.0.0.1"}}

// TestRedirectInside: an API with a public name cannot redirect to this machine.
func TestRedirectInside(t *testing.T) {
	lookups.Serve(t)
	forms, reached := inside(t)
	for _, to := range forms {
		s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op"}}}`), func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, to, http.StatusFound)
		}, func(o *openapi.Settings) { o.BaseURL = byName(o.BaseURL) })
		if got := s.call("op", `{}`); reached.Load() != 0 || strings.Contains(got, `"ok"`) {
			t.Errorf("%s: %s, %d requests", to, got, reached.Load())
		}
		if s.last() != "GET /v1/a" {
			t.Errorf("the API as written was not asked: %s", s.last())
		}
	}
}

// TestDocumentInside: a document in a file cannot name a server on this machine, neither at its top, at a
// path nor at an operation; "baseUrl" can.
func TestDocumentInside(t *testing.T) {
	lookups.Serve(t)
	forms, reached := inside(t)
	for _, at := range forms {
		servers := `"servers": [{"url": "` + at + `"}]`
		public := `"servers": [{"url": "https://192.0.2.1"}]`
		for _, text := range []string{
			document("3.0.0", `{"/a": {"get": {"operationId": "op"}}}`, servers),
			document("3.0.0", `{"/a": {"get": {"operationId": "op"}, `+servers+`}}`, public),
			document("3.0.0", `{"/a": {"get": {"operationId": "op", `+servers+`}}}`, public),
			document("3.0.0", `{"/a": {"get": {"operationId": "op", "servers": [{"url": "{at}", "variables": {"at": {"default": "`+at+`"}}}]}}}`, public),
		} {
			conn, err := dial(t, openapi.Settings{Spec: answers.File(t, "openapi.json", text)})
			if err != nil {
				continue // refused at once
			}
			got := (&scene{T: t, conn: conn}).call("op", `{}`)
			if reached.Load() != 0 {
				t.Fatalf("%s: %s", text, got)
			}
			if strings.Contains(at, "//127.0.0.1:") && !strings.Contains(got, `write the address of the API as "baseUrl"`) {
				t.Errorf("%s: %s", text, got)
			}
		}
	}
	s := newScene(t, document("3.0.0", `{"/a": {"get": {"operationId": "op"}}}`), ok, func(o *openapi.Settings) { o.BaseURL = forms[0] })
	if got := s.call("op", `{}`); !strings.Contains(got, `"ok":true`) || reached.Load() != 1 {
		t.Errorf("the address that the user wrote: %s", got)
	}
}

// TestRemoteDocumentInside: a document of a public host cannot name a server on this machine either,
// and cannot be redirected there.
func TestRemoteDocumentInside(t *testing.T) {
	lookups.Serve(t)
	forms, reached := inside(t)
	for _, at := range forms {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/moved" {
				http.Redirect(w, r, at, http.StatusFound)
				return
			}
			_, _ = w.Write([]byte(document("3.0.0", `{"/a": {"get": {"operationId": "op"}}}`, `"servers": [{"url": "`+at+`"}]`)))
		}))
		conn, err := dial(t, openapi.Settings{Spec: byName(server.URL) + "/api.json"})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&scene{T: t, conn: conn}).call("op", `{}`); reached.Load() != 0 {
			t.Errorf("%s: %s", at, got)
		}
		if _, err := dial(t, openapi.Settings{Spec: byName(server.URL) + "/moved"}); err == nil || reached.Load() != 0 {
			t.Errorf("redirected to %s: %v", at, err)
		}
		server.Close()
	}
}
