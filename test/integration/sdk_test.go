//go:build integration && linux

package integration

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// sdkExample starts the OAuth example of the TypeScript SDK and returns the address of its MCP server,
// which accepts only tokens that were issued for it. Its authorization server has another port.
func sdkExample(t *testing.T) string {
	t.Helper()
	ports := []int{freePort(t), freePort(t)}
	example := filepath.Join(peers, "..", "@modelcontextprotocol", "sdk", "dist", "esm", "examples", "server", "simpleStreamableHttp.js")
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), node(), "--import", "../fixture/sdk/loopback.mjs", example, "--oauth", "--oauth-strict")
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("MCP_PORT=%d", ports[0]), fmt.Sprintf("MCP_AUTH_PORT=%d", ports[1]))
	var said strings.Builder
	cmd.Stderr = &said
	return startSDK(t, cmd, ports, &said)
}

// startSDK waits until both servers answer.
func startSDK(t *testing.T, cmd *exec.Cmd, ports []int, said fmt.Stringer) string {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the example said:\n%s", said)
		}
	})
	for _, port := range ports {
		err := harness.Until(t.Context(), func() (bool, error) {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			return err == nil && conn.Close() == nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("http://localhost:%d/mcp", ports[0])
}

// TestLoginAtTheSDKExample logs in and out while a gateway runs. Before the login, calls are refused with
// the command to run. After it, the gateway connects. After the logout, the gateway keeps the tools and
// marks them as stale. After another login, it connects again. A reload changes none of this.
func TestLoginAtTheSDKExample(t *testing.T) {
	p := program(t)
	path := p.Configured(t, fmt.Sprintf(`{"mcpServers": {"oidc": {"url": %q}}}`, sdkExample(t)))
	g := p.Serve(t, "--config", path)
	enters(t, g, "needs_auth")
	refusedLogin(t, g)

	for range 2 {
		logIn(t, p, path)
		enters(t, g, "ready")
		if status, r := call(t, g, "oidc__greet", map[string]any{"name": "you"}); status != http.StatusOK || r.Content[0].Text != "Hello, you!" {
			t.Errorf("greet: %d %+v", status, r)
		}
		tools := state(t, g, "oidc").Tools
		out, err := p.Command(t.Context(), "auth", "logout", "--config", path, "oidc").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Logged out of oidc\n") || !strings.Contains(string(out), "no revocation endpoint") {
			t.Errorf("logout: %v\n%s", err, out)
		}
		refusedLogin(t, g)
		enters(t, g, "needs_auth")
		reloaded, err := p.Command(t.Context(), "gateway", "reload", "--config", path).CombinedOutput()
		if err != nil || !strings.Contains(string(reloaded), "trying again oidc") {
			t.Errorf("reload: %v\n%s", err, reloaded)
		}
		refusedLogin(t, g) // even while the gateway connects
		enters(t, g, "needs_auth")
		if s := state(t, g, "oidc"); s.Tools != tools || !s.Stale || tools == 0 {
			t.Errorf("after the logout: %+v, want %d tools, stale", s, tools)
		}
		refusedLogin(t, g)
	}
}

func enters(t *testing.T, g *harness.Gateway, want string) {
	t.Helper()
	err := harness.Until(t.Context(), func() (bool, error) { return state(t, g, "oidc").State == want, nil })
	if err != nil {
		t.Fatalf("%v: %+v, want %s", err, state(t, g, "oidc"), want)
	}
}

// refusedLogin checks that a call is refused with the command to run.
func refusedLogin(t *testing.T, g *harness.Gateway) {
	t.Helper()
	status, r := call(t, g, "oidc__greet", map[string]any{"name": "you"})
	if status != http.StatusUnauthorized || !strings.Contains(r.Error, "toolscript auth oidc") {
		t.Errorf("call without a login: %d %+v", status, r)
	}
}
