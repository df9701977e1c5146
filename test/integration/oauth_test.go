//go:build integration && linux

package integration

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

var oauthTime = flag.Duration("oauth", 30*time.Second, "how long two gateways call a server whose tokens live for five seconds")

// oidc starts oidc-provider and the MCP server that it protects, and returns the MCP server's URL.
func oidc(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "node", "../fixture/oidc/server.mjs")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // ends the process
		_ = cmd.Wait()    // its exit status does not matter
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http://127.0.0.1:") {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return lines.Text()
		}
	}
	t.Fatal("oidc-provider did not start; fetch it: npm ci --prefix test")
	return ""
}

// logIn runs `toolscript auth oidc` with a browser that keeps cookies, follows redirects and grants access.
func logIn(t *testing.T, p harness.Program, config string) {
	t.Helper()
	cmd := p.Command(t.Context(), "auth", "--no-browser", "--config", config, "oidc")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	var said strings.Builder
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		address, ok := strings.CutPrefix(lines.Text(), "Authorization URL: ")
		if !ok {
			continue
		}
		go func() {
			if resp, err := browser.Get(address); err == nil {
				_ = resp.Body.Close()
			}
		}()
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("auth: %v\n%s", err, said.String())
	}
}

// TestRotatingTokens shares a login between two gateways. Access tokens expire after seconds, and a
// refresh token is valid once. No call may fail, and the login must still be valid at the end.
func TestRotatingTokens(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	p := program(t)
	path := p.Configured(t, fmt.Sprintf(`{"mcpServers": {"oidc": {"url": %q}}}`, oidc(t)+"/mcp"))
	logIn(t, p, path)
	var calls, failed atomic.Int64
	var all sync.WaitGroup
	end := time.Now().Add(*oauthTime)
	for range 2 {
		g := p.Serve(t, "--config", path)
		until(t, func() bool {
			status, err := g.Get(t.Context(), "/ready", nil)
			return err == nil && status == http.StatusOK
		})
		for range 2 {
			all.Go(func() {
				for time.Now().Before(end) {
					calls.Add(1)
					var answer json.RawMessage
					if status, err := g.Post(t.Context(), "/tools/oidc__echo", map[string]any{}, &answer); err != nil || status != http.StatusOK {
						failed.Add(1)
						t.Errorf("call: %d %s %v\n%s", status, answer, err, g.Log())
						return
					}
				}
			})
		}
	}
	all.Wait()
	t.Logf("%d calls in %s, %d failed", calls.Load(), *oauthTime, failed.Load())
	out, err := p.Command(t.Context(), "auth", "--config", path).Output()
	if err != nil || !strings.Contains(string(out), "✓\toidc\tauthenticated") {
		t.Errorf("the login is lost: %v\n%s", err, out)
	}
}
