//go:build linux

package bounds

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// TestUnverifiedConnectionsUseLittleMemory opens 5,000 connections without a capability. Each
// announces a body of 32 MB and sends one byte.
func TestUnverifiedConnectionsUseLittleMemory(t *testing.T) {
	const connections, most = 5000, 50
	g := start(t, bin, `{"mcpServers":{}}`)
	before := resident(t, g.PID())
	peak := before
	host := hostOf(t, g)
	begin := fmt.Sprintf("POST /exec HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 33554432\r\n\r\n{", host)
	for i := range connections {
		dial(t, host, begin)
		if i%100 == 0 {
			peak = max(peak, resident(t, g.PID()))
			mustAnswer(t, g)
		}
	}
	mustAnswer(t, g)
	peak = max(peak, resident(t, g.PID()))
	t.Logf("%.0f MB before, %.0f MB at most with %d connections", before, peak, connections)
	if peak > before+most {
		t.Errorf("%d connections without a capability took %.0f MB, want at most %d", connections, peak-before, most)
	}
}

// TestDescriptorsAreKeptInReserve opens 400 silent connections to a gateway that may open only 256
// descriptors. The gateway must still answer requests and start processes.
func TestDescriptorsAreKeptInReserve(t *testing.T) {
	limited := filepath.Join(t.TempDir(), "limited")
	if err := os.WriteFile(limited, fmt.Appendf(nil, "#!/bin/sh\nulimit -n 256\nexec %s \"$@\"\n", bin), 0o700); err != nil {
		t.Fatal(err)
	}
	g := start(t, limited, `{"mcpServers":{}}`)
	for range 400 {
		dial(t, hostOf(t, g), "")
	}
	mustAnswer(t, g)
	for range 4 {
		events, err := g.Exec(t.Context(), map[string]any{"code": "return 6 * 7"})
		if err != nil || len(events) == 0 || events[len(events)-1]["value"] != 42.0 {
			t.Fatalf("a script ended with %v, %v", events, err)
		}
	}
}

func hostOf(t *testing.T, g *harness.Gateway) string {
	t.Helper()
	u, err := url.Parse(g.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// dial opens a connection that stays open until the test ends, unless the gateway closes it.
func dial(t *testing.T, host, begin string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, begin) // the gateway may have closed it already
}

// mustAnswer makes one request with the capability, over its own connection.
func mustAnswer(t *testing.T, g *harness.Gateway) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+"/servers", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("a request with the capability was not answered: %v", err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("a request with the capability was answered %d", resp.StatusCode)
	}
}
