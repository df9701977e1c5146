//go:build integration && linux

package integration

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// idleChecks is the number of health checks during which a server is idle.
const idleChecks = 4

// TestIdleServersAreNotRestarted leaves five real servers idle for longer than three health checks.
// All answer every check and keep their processes.
func TestIdleServersAreNotRestarted(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	dir := t.TempDir()
	servers := map[string][]string{
		"everything": {"mcp-server-everything", "stdio"},
		"filesystem": {"mcp-server-filesystem", dir},
		"memory":     {"mcp-server-memory"},
		"thinking":   {"mcp-server-sequential-thinking"},
		"github":     {"mcp-server-github"},
	}
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		argv := servers[name]
		entries = append(entries, fmt.Sprintf(`%q: {"command": %q, "args": [%q], "env": {"MEMORY_FILE_PATH": %q}}`,
			name, filepath.Join(peers, argv[0]), strings.Join(argv[1:], ""), filepath.Join(dir, "memory.jsonl")))
	}
	g := gateway(t, fmt.Sprintf(`{"mcpServers": {%s}}`, strings.Join(entries, ", ")), "TOOLSCRIPT_HEALTH_INTERVAL=1s", "LOG_LEVEL=debug")
	ready(t, g)
	before := nodes(g)
	if len(before) != len(servers) {
		t.Fatalf("%d processes of node, want %d: %+v", len(before), len(servers), before)
	}
	if err := harness.Until(t.Context(), func() (bool, error) {
		checked := 0
		for name := range servers {
			answered, failed := healthChecks(g.Log(), name)
			if failed > 0 {
				return false, fmt.Errorf("%s: %d health checks without an answer", name, failed)
			}
			if answered >= idleChecks {
				checked++
			}
		}
		return checked == len(servers), nil
	}); err != nil {
		t.Error(err)
	}
	if after := nodes(g); !slices.Equal(before, after) {
		t.Errorf("processes before %v and after %v", before, after)
	}
	for name := range servers {
		if s := state(t, g, name); s.State != "ready" || s.Restarts > 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if status, r := call(t, g, "everything__echo", map[string]any{"message": "hi"}); status != http.StatusOK {
		t.Errorf("echo after the pause: %d %+v", status, r)
	}
}

// nodes returns the ids of the Node processes below the gateway.
func nodes(g *harness.Gateway) []int {
	var ids []int
	for _, p := range harness.Descendants(g.PID()) {
		if filepath.Base(p.Args[0]) == "node" {
			ids = append(ids, p.PID)
		}
	}
	slices.Sort(ids)
	return ids
}

// healthChecks counts the health checks of a server in the log of a gateway.
func healthChecks(log, server string) (answered, failed int) {
	for line := range strings.Lines(log) {
		if !strings.Contains(line, `"health check"`) || !strings.Contains(line, "server="+server+" ") {
			continue
		}
		if strings.Contains(line, "outcome=ok") {
			answered++
		} else {
			failed++
		}
	}
	return answered, failed
}
