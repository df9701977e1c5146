package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

// TestAllowedHosts: the listed hosts are accepted like the gateway's own, and no others.
func TestAllowedHosts(t *testing.T) {
	l := serve(t, &fake{}, func(o *api.Options) {
		o.Hosts = []string{"Host.Docker.Internal", "localhost:8080", "tools.example.com:443", "[fd00::1]:8080", "192.0.2.1"}
	})
	port := l.address()[strings.LastIndex(l.address(), ":"):]
	for _, tt := range []struct {
		name, value string
		want        int
	}{
		{"Host", "127.0.0.1" + port, 200},
		{"Host", "host.docker.internal" + port, 200},
		{"Host", "HOST.docker.internal", 200},
		{"Host", "host.docker.internal:1", 200},
		{"Host", "localhost:8080", 200},
		{"Host", "localhost:8081", 403},
		{"Host", "localhost", 403},
		{"Host", "tools.example.com", 200},
		{"Host", "tools.example.com:443", 200},
		{"Host", "tools.example.com:444", 403},
		{"Host", "tools.example.com.", 403},
		{"Host", "x.tools.example.com", 403},
		{"Host", "tools.example.com.evil.example", 403},
		{"Host", "[fd00::1]:8080", 200},
		{"Host", "[fd00::1]", 403},
		{"Host", "192.0.2.1:9", 200},
		{"Host", "192.0.2.11", 403},
		{"Host", "evil.example" + port, 403},
		{"Origin", "http://host.docker.internal" + port, 200},
		{"Origin", "https://tools.example.com", 200},
		{"Origin", "https://tools.example.com:8443", 403},
		{"Origin", "https://127.0.0.1" + port, 403},
		{"Origin", "https://localhost:8080", 200},
		{"Origin", "http://evil.example", 403},
		{"Origin", "https://evil.example", 403},
		{"Origin", "ftp://tools.example.com", 403},
		{"Origin", "tools.example.com", 403},
		{"Origin", "null", 403},
		{"X-Forwarded-Host", "evil.example", 200},
		{"Sec-Fetch-Site", "cross-site", 403},
	} {
		if got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`, header(tt.name, tt.value)); got.status != tt.want {
			t.Errorf("%s: %s = %d, want %d", tt.name, tt.value, got.status, tt.want)
		}
	}
}

// TestBadHosts: an invalid host in the list is an error at the start.
func TestBadHosts(t *testing.T) {
	for _, host := range []string{"", "*", "*.example.com", "http://example.com", "example.com/x", "example.com:", "example.com:0", "example.com:65536", "example.com:http", "a b", "fd00::1", "[fd00::1", "user@example.com", "a..b", ".a", "a.", "-a", "a-.b", strings.Repeat("a", 64)} {
		ln, err := api.Listen("", 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = api.New(&fake{}, api.Options{Listener: ln, Token: api.NewToken(), Hosts: []string{host}})
		if toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), "allowed host") {
			t.Errorf("%q: %v", host, err)
		}
		_ = ln.Close() // no server uses it
	}
}
