package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

// everyRoute has a request for each route that needs a capability.
var everyRoute = []struct{ method, path, body string }{
	{http.MethodGet, "/ready", ""},
	{http.MethodGet, "/status", ""},
	{http.MethodGet, "/servers", ""},
	{http.MethodGet, "/tools", ""},
	{http.MethodGet, "/tools/a__b", ""},
	{http.MethodGet, "/search?q=x", ""},
	{http.MethodGet, "/search/stats", ""},
	{http.MethodPost, "/tools/a__b", "{}"},
	{http.MethodGet, "/runtime/tools.ts", ""},
	{http.MethodPost, "/exec", `{"code":""}`},
	{http.MethodGet, "/runs", ""},
	{http.MethodGet, "/runs/r1", ""},
	{http.MethodDelete, "/runs/r1", ""},
	{http.MethodPost, "/runs/r1/stdin", `{"eof":true}`},
	{http.MethodGet, "/approvals", ""},
	{http.MethodPost, "/approvals/apr_1", `{"action":"deny"}`},
}

// TestWithoutCapability: without a valid capability, the answer is the same for existing and unknown routes.
func TestWithoutCapability(t *testing.T) {
	l := serve(t, &fake{})
	wrong := api.NewToken()
	unknown := l.ask(t, http.MethodGet, "/nothing", "")
	if unknown.status != 404 || unknown.kind() != toolscript.NotFound {
		t.Fatalf("unknown route = %d %s", unknown.status, unknown.body)
	}
	for _, r := range everyRoute {
		if got := l.ask(t, r.method, r.path, r.body); got.status >= 400 {
			t.Errorf("%s %s with the capability = %d %s", r.method, r.path, got.status, got.body)
		}
		bearer := header("Authorization", "bearer "+l.token)
		if got := ask(t, r.method, l.BaseURL()+r.path, strings.NewReader(r.body), bearer); got.status >= 400 {
			t.Errorf("%s %s with the bearer = %d %s", r.method, r.path, got.status, got.body)
		}
		for name, got := range map[string]answer{
			"no capability":       ask(t, r.method, l.BaseURL()+r.path, strings.NewReader(r.body)),
			"a wrong capability":  ask(t, r.method, l.BaseURL()+"/"+wrong+r.path, strings.NewReader(r.body)),
			"half a capability":   ask(t, r.method, l.BaseURL()+"/"+l.token[:20]+r.path, strings.NewReader(r.body)),
			"it in the query":     ask(t, r.method, l.BaseURL()+r.path+"?token="+l.token, strings.NewReader(r.body)),
			"a wrong bearer":      ask(t, r.method, l.BaseURL()+r.path, strings.NewReader(r.body), header("Authorization", "Bearer "+wrong)),
			"another auth scheme": ask(t, r.method, l.BaseURL()+r.path, strings.NewReader(r.body), header("Authorization", "Basic "+l.token)),
			"a wrong type too":    ask(t, r.method, l.BaseURL()+r.path, strings.NewReader(r.body), header("Content-Type", "text/plain")),
		} {
			if diff := cmp.Diff(comparable404(unknown), comparable404(got), cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("%s %s with %s differs from an unknown route (-unknown +got):\n%s", r.method, r.path, name, diff)
			}
		}
	}
}

// comparable404 removes the parts in which any two answers differ.
func comparable404(a answer) answer {
	h := a.header.Clone()
	h.Del("X-Request-Id")
	h.Del("Date")
	a.header = h
	return a
}

func TestHealthNeedsNoCapability(t *testing.T) {
	l := serve(t, &fake{})
	for _, url := range []string{l.BaseURL(), l.URL()} {
		if got := ask(t, http.MethodGet, url+"/health", nil); got.status != 200 {
			t.Errorf("GET /health = %d", got.status)
		}
	}
	if got := ask(t, http.MethodGet, l.BaseURL()+"/"+api.NewToken()+"/health", nil); got.status != 404 {
		t.Errorf("GET /health below a wrong capability = %d, want 404", got.status)
	}
}

func TestCapabilityAndBearerTogether(t *testing.T) {
	l := serve(t, &fake{})
	if got := l.ask(t, http.MethodGet, "/tools", "", header("Authorization", "Bearer "+l.token)); got.status != 200 {
		t.Errorf("GET /tools with both = %d", got.status)
	}
}

func TestNoToken(t *testing.T) {
	l := serve(t, &fake{}, noToken)
	if l.URL() != l.BaseURL() {
		t.Errorf("URL = %s, want %s", l.URL(), l.BaseURL())
	}
	for _, r := range everyRoute {
		if got := l.ask(t, r.method, r.path, r.body); got.status >= 400 {
			t.Errorf("%s %s = %d %s", r.method, r.path, got.status, got.body)
		}
	}
}

// TestRunCapability: a script can list and call tools, and its calls are attributed
// to its run, with and without a token.
func TestRunCapability(t *testing.T) {
	capability := api.NewToken()
	calls := make(chan toolscript.Call, 2)
	backend := &fake{
		runOf: map[string]string{capability: "r7"},
		callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
			calls <- call
			return json.RawMessage(`{}`), nil
		},
	}
	allowed := map[string]bool{"GET /tools": true, "GET /tools/a__b": true, "GET /search?q=x": true, "POST /tools/a__b": true, "GET /runtime/tools.ts": true}
	for name, change := range map[string]func(*api.Options){"token": func(*api.Options) {}, "no token": noToken} {
		t.Run(name, func(t *testing.T) {
			l := serve(t, backend, change)
			bearer := header("Authorization", "Bearer "+capability)
			for _, r := range everyRoute {
				want := 403
				if allowed[r.method+" "+r.path] {
					want = 200
				}
				for how, got := range map[string]answer{
					"path":   ask(t, r.method, l.BaseURL()+"/"+capability+r.path, strings.NewReader(r.body)),
					"bearer": ask(t, r.method, l.BaseURL()+r.path, strings.NewReader(r.body), bearer),
				} {
					if got.status != want {
						t.Errorf("%s %s by %s = %d, want %d", r.method, r.path, how, got.status, want)
					}
				}
			}
			for range 2 {
				if call := kit.Receive(t, calls); call.Run != "r7" || call.ID != "a__b" {
					t.Errorf("call = %+v, want a__b of run r7", call)
				}
			}
			ask(t, http.MethodPost, l.BaseURL()+"/tools/a__b?apps=true", strings.NewReader("{}"), bearer)
			if call := kit.Receive(t, calls); call.Run != "r7" || call.FromApp {
				t.Errorf("call = %+v: a run is no app", call)
			}
			if got := l.log.line(t, "route", "/tools/:id"); got["run"] != "r7" {
				t.Errorf("log line = %v, want run r7", got)
			}
			if strings.Contains(l.log.String(), capability) {
				t.Error("the log holds the run's capability")
			}
		})
	}
}

func TestNewToken(t *testing.T) {
	a, b := api.NewToken(), api.NewToken()
	if len(a) != 43 || a == b {
		t.Errorf("NewToken = %q, %q; want two different ones of 256 bits", a, b)
	}
}
