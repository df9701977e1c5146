//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// TestColdCache makes npx install a server into an empty cache, which takes longer than startupTimeout.
// If a command is ended meanwhile, the installation continues, and the gateway that is started next
// waits for it and connects.
func TestColdCache(t *testing.T) {
	if testing.Short() {
		t.Skip("npm installs a package twice")
	}
	var manifest struct{ Version string }
	text, err := os.ReadFile("../node_modules/@modelcontextprotocol/server-memory/package.json")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	p := program(t)
	p.Env = []string{"NPM_CONFIG_USERCONFIG=" + filepath.Join(home, ".npmrc")} // names the test registry
	path := p.Configured(t, fmt.Sprintf(
		`{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory@%s"], "startupTimeout": "1s"}}}`, manifest.Version))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()

	first, interrupt := context.WithCancel(ctx)
	defer interrupt()
	cmd := p.Command(first, "--config", path, "exec", "await tools.memory.readGraph()")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err = harness.Until(ctx, func() (bool, error) {
		entries, err := os.ReadDir(filepath.Join(p.Home, ".npm", "_npx"))
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return len(entries) > 0, err
	})
	if err != nil {
		t.Fatalf("no installation: %v\n%s", err, stderr.String())
	}
	interrupt()
	_ = cmd.Wait() // a signal has ended it
	if n := strings.Count(stderr.String(), "still being installed; this goes on in the background"); n != 1 {
		t.Errorf("%d lines say that the installation goes on:\n%s", n, stderr.String())
	}

	g, err := p.StartGateway(context.WithoutCancel(ctx), "--config", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Stop(); err != nil {
			t.Errorf("the gateway ended with %v\n%s", err, g.Log())
		}
	}()
	connects := func() (bool, error) { return state(t, g, "memory").State == "ready", nil }
	for harness.Until(ctx, connects) != nil { // with a cold cache it may take longer than a minute
		if ctx.Err() != nil {
			t.Fatalf("not connected\n%s", g.Log())
		}
	}
	if strings.Contains(g.Log(), "server not connected") {
		t.Errorf("an attempt failed:\n%s", g.Log())
	}
}
