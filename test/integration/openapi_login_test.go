//go:build integration && linux

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
)

// TestOpenAPILogin: an OpenAPI server uses a person's login, whose tokens live for five seconds.
// Without a login, the error says how to log in.
func TestOpenAPILogin(t *testing.T) {
	p := program(t)
	spec := filepath.Join(t.TempDir(), "hello.yaml")
	const document = "openapi: 3.1.0\ninfo: {title: Hello, version: '1'}\npaths:\n  /hello:\n    get: {operationId: hello, responses: {'200': {description: d}}}\n"
	if err := os.WriteFile(spec, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	path := p.Configured(t, fmt.Sprintf(`{"mcpServers": {"oidc": {"type": "openapi", "spec": %q, "baseUrl": %q, "auth": {"type": "oauth2"}}}}`, spec, oidc(t)+"/mcp"))
	call := func() (string, error) {
		out, err := p.Command(t.Context(), "call", "--config", path, "oidc.hello").CombinedOutput()
		return string(out), err
	}
	if out, err := call(); err == nil || !strings.Contains(out, "run: "+toolscript.Command("-c", path, "auth", "oidc")) || strings.Contains(out, "not known") {
		t.Errorf("without a login: %v %s", err, out)
	}
	logIn(t, p, path)
	for end := time.Now().Add(7 * time.Second); time.Now().Before(end); { // longer than the life of a token
		if out, err := call(); err != nil || !strings.Contains(out, `{"hello":"world"}`) {
			t.Fatalf("with a login: %v %s", err, out)
		}
	}
}
