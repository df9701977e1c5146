//go:build proof && linux

package proof

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

var (
	serversFor   = flag.Duration("servers-for", 20*time.Second, "how long the soak of real servers takes")
	serversCheck = flag.Duration("servers-check", time.Second, "time between two health checks of a server in it")
)

// realServer is a server from npm. A server without a call needs an account for all its tools.
type realServer struct {
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`

	tool string
	call map[string]any
}

// realServers returns ten servers by name. Their programs are in the folder peers, and they use the
// folder dir.
func realServers(peers, dir string) map[string]realServer {
	program := func(name string, args ...string) realServer {
		return realServer{Command: filepath.Join(peers, name), Args: args}
	}
	with := func(s realServer, env map[string]string) realServer { s.Env = env; return s }
	calls := func(s realServer, tool string, args map[string]any) realServer { s.tool, s.call = tool, args; return s }
	return map[string]realServer{
		"everything": calls(program("mcp-server-everything", "stdio"), "echo", map[string]any{"message": "hi"}),
		"filesystem": calls(program("mcp-server-filesystem", dir), "list_allowed_directories", map[string]any{}),
		"memory": calls(with(program("mcp-server-memory"), map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}),
			"read_graph", map[string]any{}),
		"thinking": calls(program("mcp-server-sequential-thinking"), "sequentialthinking", map[string]any{
			"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1,
		}),
		"github":     program("mcp-server-github"),
		"notion":     program("notion-mcp-server"),
		"playwright": program("playwright-mcp", "--headless"),
		"context7":   program("context7-mcp"),
		"airtable":   with(program("airtable-mcp-server"), map[string]string{"AIRTABLE_API_KEY": "none"}),
		"firecrawl":  with(program("firecrawl-mcp"), map[string]string{"FIRECRAWL_API_KEY": "none"}),
	}
}

// TestServersSoak keeps ten real servers connected. Some are called, with pauses of up to three health
// checks; the others are idle. No server may be restarted, and no call may fail.
func TestServersSoak(t *testing.T) {
	t.Parallel()
	peers, err := filepath.Abs("../node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	servers := realServers(peers, t.TempDir())
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	g := gatewayOf(t, string(config), "--health-interval", serversCheck.String())
	before := serverProcesses(g)
	t.Logf("%d servers in %d processes, checked every %v for %v", len(servers), len(before), *serversCheck, *serversFor)

	ctx, cancel := context.WithTimeout(t.Context(), *serversFor)
	defer cancel()
	var used atomic.Int64
	var callers sync.WaitGroup
	for name, s := range servers {
		if s.tool != "" {
			callers.Go(func() { keepCalling(ctx, t, g, name+"__"+s.tool, s.call, &used) })
		}
	}
	callers.Wait()
	<-ctx.Done()

	var states []struct {
		Name, State, Error string
		Restarts           int
	}
	if status, err := g.Get(t.Context(), "/servers", &states); err != nil || status != http.StatusOK {
		t.Fatalf("GET /servers: %d, %v", status, err)
	}
	restarts := 0
	for _, s := range states {
		restarts += s.Restarts
		if s.State != "ready" || s.Restarts > 0 || s.Error != "" {
			t.Errorf("%+v", s)
		}
	}
	if after := serverProcesses(g); !slices.Equal(before, after) {
		t.Errorf("processes before %v and after %v", before, after)
	}
	t.Logf("%d calls, %d restarts of %d servers in %v", used.Load(), restarts, len(states), *serversFor)
	if len(states) != 10 || used.Load() == 0 {
		t.Errorf("%d servers and %d calls, want 10 and some", len(states), used.Load())
	}
}

// keepCalling calls a tool repeatedly until ctx ends.
func keepCalling(ctx context.Context, t *testing.T, g *harness.Gateway, id string, args map[string]any, used *atomic.Int64) {
	t.Helper()
	for {
		var answer struct {
			IsError bool
			Error   string
		}
		status, err := g.Post(context.WithoutCancel(ctx), "/tools/"+id, args, &answer)
		if err != nil || status != http.StatusOK || answer.IsError {
			t.Errorf("%s: %d %+v %v", id, status, answer, err)
		}
		used.Add(1)
		select {
		case <-time.After(rand.N(3 * *serversCheck)):
		case <-ctx.Done():
			return
		}
	}
}

// serverProcesses returns the processes below a gateway, except its own workers.
func serverProcesses(g *harness.Gateway) []string {
	var all []string
	for _, p := range harness.Descendants(g.PID()) {
		if filepath.Base(p.Args[0]) == "node" {
			all = append(all, fmt.Sprintf("%d %s", p.PID, filepath.Base(p.Args[1])))
		}
	}
	slices.Sort(all)
	return all
}
