//go:build proof && linux

// Package proof looks for what only many repetitions show. Run it with
// `task proof`.
package proof

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

var soakRuns = flag.Int64("runs", 2_000, "how many scripts the soak runs")

const (
	warmRuns = 100 // until pools are full and caches warm
	callers  = 4
	// soakGrowth is what the gateway may hold more after all runs than after the
	// first: its records of the last runs, and the garbage of a moment.
	soakGrowth = 64 // MB
)

// TestSoak runs scripts of every way to end, and looks at the gateway's memory
// and at what it has left running.
func TestSoak(t *testing.T) {
	g := gateway(t)
	soak(t, g, warmRuns)
	before := memory(t, g)
	soak(t, g, *soakRuns)
	after := memory(t, g)
	below := harness.Descendants(g.PID())
	t.Logf("RSS of the gateway: %.1f MB after %d runs, %.1f MB after %d, with %d processes below it",
		before, warmRuns, after, warmRuns+*soakRuns, len(below))
	if after-before > soakGrowth {
		t.Errorf("the gateway grew by %.1f MB in %d runs, want %d at most", after-before, *soakRuns, soakGrowth)
	}
	if err := g.Stop(); err != nil {
		t.Errorf("the gateway ended with %v\n%s", err, g.Log())
	}
	if left := harness.Alive(below); len(left) > 0 {
		t.Errorf("left running: %+v", left)
	}
}

// script is a script and how it ends.
type script struct{ code, kind string }

var scripts = []script{
	{`import { tools } from "toolscript"; return (await tools.demo.searchText({ pattern: "x" })).matches.length`, ""},
	{`console.log("x".repeat(10_000)); return Array.from({ length: 1000 }, (_, i) => ({ i }))`, ""},
	{`throw new Error("on purpose")`, "threw"},
	{`const x = ;`, "check"},
	{`for (;;);`, "limit_time"},
	{`const all = []; for (;;) all.push(new ArrayBuffer(16 << 20))`, "limit_memory"},
}

// soak runs n scripts, some at once.
func soak(t *testing.T, g *harness.Gateway, n int64) {
	t.Helper()
	var next atomic.Int64
	var running sync.WaitGroup
	for range callers {
		running.Go(func() {
			for i := next.Add(1); i <= n; i = next.Add(1) {
				runScript(t, g, scripts[int(i)%len(scripts)])
			}
		})
	}
	running.Wait()
}

func runScript(t *testing.T, g *harness.Gateway, s script) {
	t.Helper()
	events, err := g.Exec(t.Context(), map[string]any{"code": s.code, "limits": map[string]any{"timeoutMs": 2_000}})
	if err != nil || len(events) == 0 {
		t.Errorf("%s: %d events, %v", s.code, len(events), err)
		return
	}
	if kind, _ := events[len(events)-1]["kind"].(string); kind != s.kind {
		t.Errorf("%s: ended with %v, want kind %q", s.code, events[len(events)-1], s.kind)
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

// gateway starts the built program with its demo server, in a folder of text.
func gateway(t *testing.T) *harness.Gateway {
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
	config, err := p.Config("config.json", `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.StartGateway(context.WithoutCancel(t.Context()), "--config", config)
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
