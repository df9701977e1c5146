//go:build integration && linux

package integration

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// TestBlockedScriptsDoNotDelayOthers runs more scripts than there are processors, in native code and in
// endless loops. None reaches a safe point of the scheduler, and the gateway keeps collecting garbage.
// Inside the gateway's own process, each of these scripts would block it forever.
func TestBlockedScriptsDoNotDelayOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	g := gateway(t, servers(t), "GOGC=10")
	ready(t, g)
	asking, enough := context.WithCancel(t.Context())
	defer enough()
	var others sync.WaitGroup
	others.Go(func() { askHealth(asking, t, g) })
	others.Go(func() { makeGarbage(asking, t, g) })

	var stuck sync.WaitGroup
	for i := range runtime.GOMAXPROCS(0) + 1 {
		code := []string{"new Array(2 ** 32 - 1).join('')", "for (;;);"}[i%2]
		stuck.Go(func() {
			events, err := g.Exec(t.Context(), map[string]any{"code": code, "limits": map[string]any{"timeoutMs": 500}})
			if end := last(events); err != nil || end["kind"] != "limit_time" {
				t.Errorf("%s: %v, %v; want kind limit_time", code, end, err)
			}
		})
	}
	stuck.Wait()
	enough()
	others.Wait()

	events, err := g.Exec(t.Context(), map[string]any{"code": "return 6 * 7"})
	if end := last(events); err != nil || end["ok"] != true || end["value"] != 42.0 {
		t.Errorf("a script afterwards: %v, %v; want 42", end, err)
	}
}

// askHealth sends requests until ctx ends. Each must be answered within its limit. The limit is
// generous, because the program has the race detector and shares its processors with the scripts; a
// blocked gateway would not answer at all.
func askHealth(ctx context.Context, t *testing.T, g *harness.Gateway) {
	t.Helper()
	asked := 0
	for ; ctx.Err() == nil; asked++ {
		once, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		status, err := g.Get(once, "/health", nil)
		cancel()
		if err != nil || status != http.StatusOK {
			t.Errorf("/health: %d %v", status, err)
			return
		}
	}
	t.Logf("/health answered %d times", asked)
}

// makeGarbage calls a tool with long arguments until ctx ends, so that the gateway collects garbage.
func makeGarbage(ctx context.Context, t *testing.T, g *harness.Gateway) {
	t.Helper()
	message := map[string]any{"message": strings.Repeat("x", 200_000)}
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				if status, err := g.Post(t.Context(), "/tools/everything__echo", message, nil); err != nil || status != http.StatusOK {
					t.Errorf("echo: %d %v", status, err)
					return
				}
			}
		})
	}
	callers.Wait()
}

// last returns the last event of a run.
func last(events []map[string]any) map[string]any {
	if len(events) == 0 {
		return nil
	}
	return events[len(events)-1]
}
