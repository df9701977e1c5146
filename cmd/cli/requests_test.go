package cli_test

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRequests counts the requests of commands to a gateway, except the request that finds the gateway.
func TestRequests(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	_, export := gatewayAt(t, w)
	target, err := url.Parse(strings.TrimPrefix(export, "export TOOLSCRIPT_GATEWAY_URL="))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var paths []string
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
		if _, path, _ := strings.Cut(r.In.URL.Path[1:], "/"); path != "health" {
			mu.Lock()
			defer mu.Unlock()
			paths = append(paths, r.In.Method+" /"+path)
		}
	}})
	t.Cleanup(proxy.Close)
	for command, want := range map[string][]string{
		"get-types":                        {"GET /types", "GET /store/types"},
		"get-types demo":                   {"GET /types"},
		"get-types demo__read_file nobody": {"GET /types"},
		"list-tools demo":                  {"GET /tools"},
		"list-servers":                     {"GET /servers"},
		"prompts":                          {"GET /servers", "GET /prompts"},
	} {
		mu.Lock()
		paths = nil
		mu.Unlock()
		r := w.run(t, append(strings.Fields(command), "-g", proxy.URL+target.Path)...)
		mu.Lock()
		if diff := cmp.Diff(want, paths); diff != "" || r.code != 0 {
			t.Errorf("%s = %d %s (-want +got):\n%s", command, r.code, r.stderr, diff)
		}
		mu.Unlock()
	}
}
