//go:build integration && linux

package integration

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// TestRealServerRests checks that the process of an idle npm server ends, that concurrent calls then
// start only one new process, and that the gateway stays ready.
func TestRealServerRests(t *testing.T) {
	g := gateway(t, fmt.Sprintf(`{"defaults": {"idle": "500ms"}, "mcpServers": {
		"everything": {"command": %q, "args": ["stdio"]},
		"memory": {"command": %q, "env": {"MEMORY_FILE_PATH": %q}, "idle": false}
	}}`, filepath.Join(peers, "mcp-server-everything"), filepath.Join(peers, "mcp-server-memory"), filepath.Join(t.TempDir(), "memory.jsonl")))
	ready(t, g)
	for range 3 {
		atRest(t, g, "everything")
		if left := slices.DeleteFunc(harness.Descendants(g.PID()), func(p harness.Process) bool { return !slices.ContainsFunc(p.Args, isEverything) }); len(left) > 0 {
			if err := harness.Until(t.Context(), func() (bool, error) { return len(harness.Alive(left)) == 0, nil }); err != nil {
				t.Fatalf("running at rest: %+v: %v", left, err)
			}
		}
		var state struct {
			Ready     bool
			Connected int
		}
		if status, err := g.Get(t.Context(), "/ready", &state); err != nil || status != http.StatusOK || !state.Ready || state.Connected != 2 {
			t.Errorf("GET /ready: %d %+v, %v", status, state, err)
		}
		answers := make(chan string, 5)
		for i := range cap(answers) {
			go func() {
				var r toolResult
				_, err := g.Post(t.Context(), "/tools/everything__echo", map[string]any{"message": fmt.Sprint(i)}, &r)
				if err != nil || len(r.Content) == 0 || r.Content[0].Text != fmt.Sprintf("Echo: %d", i) {
					answers <- fmt.Sprintf("%+v, %v", r, err)
					return
				}
				answers <- ""
			}()
		}
		for range cap(answers) {
			if wrong := <-answers; wrong != "" {
				t.Errorf("a call that starts the server: %s", wrong)
			}
		}
	}
	if status, r := call(t, g, "memory__read_graph", map[string]any{}); status != http.StatusOK {
		t.Errorf("a server that does not rest: %d %+v", status, r)
	}
}

func isEverything(arg string) bool { return filepath.Base(arg) == "mcp-server-everything" }

// atRest waits until a server is at rest.
func atRest(t *testing.T, g *harness.Gateway, name string) {
	t.Helper()
	err := harness.Until(t.Context(), func() (bool, error) {
		var all []struct {
			Name, State string
			Restarts    int
		}
		_, err := g.Get(t.Context(), "/servers", &all)
		for _, s := range all {
			if s.Restarts > 0 {
				t.Fatalf("%s has %d restarts", s.Name, s.Restarts)
			}
			if s.Name == name && s.State == "resting" {
				return true, err
			}
		}
		return false, err
	})
	if err != nil {
		t.Fatal(err)
	}
}
