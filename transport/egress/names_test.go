package egress_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/dns"
)

// TestPrivateNames: a listed name that resolves to this machine or the local network is refused,
// whatever the notation of the address.
func TestPrivateNames(t *testing.T) {
	names := dns.Names{
		"loopback.example": {"127.0.0.1"}, "loopback6.example": {"::1"}, "mapped.example": {"::ffff:127.0.0.1"}, "private.example": {"10.0.0.1"},
		"linklocal.example": {"169.254.169.254"}, "nat64.example": {"64:ff9b::7f00:1"}, "several.example": {"192.168.1.1", "127.0.0.1", "fd00::1"},
	}
	names.Serve(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		c := client(t, start(t, name+":"+port))
		resp, err := c.Get("http://" + name + ":" + port)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(text), "is not a public address") {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
		if resp, err := c.Get("https://" + name + ":" + port); err == nil {
			_ = resp.Body.Close() // the body is not needed
			t.Errorf("%s by CONNECT: %d", name, resp.StatusCode)
		}
	}
}
