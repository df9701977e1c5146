//go:build proof && linux

package proof

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

var soakRuns = flag.Int64("runs", 2_000, "how many scripts the soak runs")

const (
	warmRuns = 100 // until pools and caches are full
	callers  = 4
	portions = 10 // the memory is checked after each portion
	// soakGrowth is by how much the gateway's memory may be larger after the last portion than after the
	// first, because of temporary garbage.
	soakGrowth = 32 // MB
	// killEvery is the interval at which a worker is killed.
	killEvery = 500 * time.Millisecond
)

// TestSoak runs scripts with every kind of ending while workers are killed at random. It checks the
// memory of the gateway and the processes that remain.
func TestSoak(t *testing.T) {
	t.Parallel()
	g := gatewayOf(t, `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}}}`)
	s := &soak{t: t, gateway: g}
	s.run(warmRuns)
	killing, enough := context.WithCancel(t.Context())
	defer enough()
	var killer sync.WaitGroup
	killer.Go(func() { s.killWorkers(killing) })
	var held []float64
	for range portions {
		s.run(*soakRuns / portions)
		held = append(held, memory(t, g))
	}
	enough()
	killer.Wait()
	s.run(warmRuns)
	below := harness.Descendants(g.PID())
	t.Logf("RSS of the gateway after each tenth of %d runs: %.1f MB; %d workers were killed, %d runs were lost with one; %d processes below it",
		*soakRuns, held, s.kills.Load(), s.lost.Load(), len(below))
	if growth := held[portions-1] - held[0]; growth > soakGrowth {
		t.Errorf("the gateway grew by %.1f MB, want %d at most", growth, soakGrowth)
	}
	if s.kills.Load() == 0 || s.lost.Load() > s.kills.Load() {
		t.Errorf("%d kills took %d runs with them, want one each at most", s.kills.Load(), s.lost.Load())
	}
	if err := g.Stop(); err != nil {
		t.Errorf("the gateway ended with %v\n%s", err, g.Log())
	}
	if left := harness.Alive(below); len(left) > 0 {
		t.Errorf("left running: %+v", left)
	}
}

// soak is a gateway under load with its counts.
type soak struct {
	t       *testing.T
	gateway *harness.Gateway
	killing atomic.Bool
	kills   atomic.Int64
	lost    atomic.Int64 // runs that have ended with their worker
}

// script is a script and its expected end.
type script struct {
	code, kind string
	timeoutMs  int
}

var scripts = []script{
	{`import { tools } from "toolscript"; return (await tools.demo.searchText({ pattern: "x" })).matches.length`, "", 20_000},
	{`console.log("x".repeat(10_000)); return Array.from({ length: 1000 }, (_, i) => ({ i }))`, "", 20_000},
	{`throw new Error("on purpose")`, "threw", 20_000},
	{`const x = ;`, "check", 20_000},
	{`for (;;);`, "limit_time", 50},
	{`const all = []; for (;;) all.push(new ArrayBuffer(16 << 20))`, "limit_memory", 20_000},
}

// run runs n scripts, several at a time.
func (s *soak) run(n int64) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range callers {
		running.Go(func() {
			for i := next.Add(1); i <= n; i = next.Add(1) {
				s.runScript(scripts[int(i)%len(scripts)])
			}
		})
	}
	running.Wait()
}

// runScript runs a script and checks its end. While workers are killed, a run may also end because its
// own worker was killed.
func (s *soak) runScript(c script) {
	events, err := s.gateway.Exec(s.t.Context(), map[string]any{"code": c.code, "limits": map[string]any{"timeoutMs": c.timeoutMs}})
	if err != nil || len(events) == 0 {
		s.t.Errorf("%s: %d events, %v", c.code, len(events), err)
		return
	}
	switch kind, _ := events[len(events)-1]["kind"].(string); {
	case kind == c.kind:
	case s.killing.Load() && slices.Contains([]string{"internal", "unavailable"}, kind):
		s.lost.Add(1)
	default:
		s.t.Errorf("%s: ended with %v, want kind %q", c.code, events[len(events)-1], c.kind)
	}
}

// killWorkers kills workers of any role, one after another, until ctx ends. Effects of the last kill may
// appear later.
func (s *soak) killWorkers(ctx context.Context) {
	s.killing.Store(true)
	tick := time.NewTicker(killEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.killing.Store(false)
			return
		case <-tick.C:
		}
		workers := slices.DeleteFunc(harness.Descendants(s.gateway.PID()), func(p harness.Process) bool { return p.Worker() == "" })
		if len(workers) == 0 {
			continue
		}
		if syscall.Kill(workers[rand.IntN(len(workers))].PID, syscall.SIGKILL) == nil {
			s.kills.Add(1)
		}
	}
}

func memory(t *testing.T, g *harness.Gateway) float64 {
	t.Helper()
	mb, err := harness.RSS(g.PID())
	if err != nil {
		t.Fatal(err)
	}
	return mb
}

// gatewayOf starts the built program with a configuration and additional arguments in a folder with
// text files, and waits for its servers.
func gatewayOf(t *testing.T, configuration string, args ...string) *harness.Gateway {
	t.Helper()
	bin, err := filepath.Abs("../../bin/toolscript")
	if err == nil {
		_, err = exec.LookPath(bin)
	}
	if err != nil {
		t.Fatalf("%v; run: task build", err)
	}
	p := harness.Program{Bin: bin, Home: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.Home, "a.txt"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := p.Config("config.json", configuration)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.StartGateway(context.WithoutCancel(t.Context()), append([]string{"--config", config}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if g.Running() {
			_ = g.Stop() // the test has failed already
		}
	})
	if err := g.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}
