//go:build integration && linux

package integration

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// reapTime bounds the time of the reaper, which needs at most a second: SIGTERM, 400 ms, SIGKILL.
const reapTime = 10 * time.Second

// TestNothingOutlivesAKilledGateway kills a gateway with SIGKILL during a run, with servers that
// ignore SIGTERM.
func TestNothingOutlivesAKilledGateway(t *testing.T) {
	test, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	memory := filepath.Join(peers, "mcp-server-memory")
	g := gateway(t, fmt.Sprintf(`{"mcpServers": {
		"npx": {"command": "npx", "args": ["--no-install", "mcp-server-everything", "stdio"], "cwd": %q},
		"ignores-signals": {"command": "sh", "args": ["-c", "trap '' TERM HUP INT; %s; while :; do sleep 600; done"]},
		"daemon": {"command": "sh", "args": ["-c", "setsid sh -c 'trap \"\" TERM HUP; sleep 600; sleep 600' & exec %s"]},
		"bare": {"command": "env", "args": ["-i", "PATH=/usr/bin:/bin:/usr/local/bin", %q]}
	}}`, test, memory, memory, memory))
	ready(t, g)
	endless(t, g)
	below := harness.Descendants(g.PID())
	if len(below) < 10 { // 2 for npx, 2, 3 and 1 for the others, the reaper, two workers
		t.Fatalf("only %d processes below the gateway: %+v", len(below), below)
	}
	killed := time.Now()
	if err := g.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = g.Wait() // killed, so an error is expected
	ctx, cancel := context.WithTimeout(t.Context(), reapTime)
	defer cancel()
	err = harness.Until(ctx, func() (bool, error) { return len(harness.Alive(below)) == 0, nil })
	if err != nil {
		t.Fatalf("left running: %+v", harness.Alive(below))
	}
	t.Logf("%d processes were gone %d ms after the kill", len(below), time.Since(killed).Milliseconds())
}
