//go:build proof && linux

package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/harness"
)

// newProgram returns the program with a home folder whose configuration has the servers.
func newProgram(t *testing.T, servers map[string]server) harness.Program {
	t.Helper()
	p, err := harness.Quick(built, t.TempDir())
	config, invalid := json.Marshal(map[string]any{"mcpServers": servers})
	_, unwritten := p.Config(".toolscript.json", string(config))
	if err := errors.Join(err, invalid, unwritten); err != nil {
		t.Fatal(err)
	}
	return p
}

// start starts a gateway in a folder below the home folder, and waits for its servers.
func start(t *testing.T, p harness.Program, folder string, args ...string) *harness.Gateway {
	t.Helper()
	p.Dir = filepath.Join(p.Home, folder)
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	g, err := p.StartGateway(context.WithoutCancel(t.Context()), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if g.Running() {
			if err := g.Stop(); err != nil {
				t.Errorf("the gateway ended with %v", err)
			}
		}
		if log := g.Log(); t.Failed() {
			t.Logf("the end of the log of the gateway:\n%s", log[max(0, len(log)-8000):])
		}
	})
	for range 5 { // installing all servers takes longer than the wait for one
		if err = g.Ready(t.Context()); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("%v", err) // the proofs say which server is not ready
	}
	return g
}

// states returns the states of the servers by name.
func states(t *testing.T, g *harness.Gateway) map[string]toolscript.ServerStatus {
	t.Helper()
	var list []toolscript.ServerStatus
	if _, err := g.Get(t.Context(), "/servers", &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]toolscript.ServerStatus{}
	for _, s := range list {
		all[s.Name] = s
	}
	return all
}

// run runs the script of a server, and checks its value.
func run(t *testing.T, g *harness.Gateway, s server) {
	t.Helper()
	if err := tryRun(t.Context(), g, s); err != nil {
		t.Error(err)
	}
}

func tryRun(ctx context.Context, g *harness.Gateway, s server) error {
	events, err := g.Exec(ctx, map[string]any{"code": s.script})
	if err != nil || len(events) == 0 {
		return fmt.Errorf("%d events, %w", len(events), err)
	}
	end := events[len(events)-1]
	value, err := json.Marshal(end["value"])
	if err != nil || end["ok"] != true || !strings.Contains(string(value), s.want) {
		return fmt.Errorf("the value has no %q: %v, %w", s.want, end, err)
	}
	return nil
}
