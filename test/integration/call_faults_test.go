//go:build integration && linux

package integration

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// points are moments in the calls of a script. at reports, from the numbers of calls that have begun
// and ended, whether a run has reached the moment.
var points = []struct {
	name, code string
	at         func(begun, ended int) bool
}{
	{"between two calls", `await tools.s.echo({ text: "x" }); await new Promise((r) => setTimeout(r, 3000)); await tools.s.echo({ text: "y" })`,
		func(begun, ended int) bool { return begun == 1 && ended == 1 }},
	{"a call is in flight", `await tools.s.sleep({ ms: 600_000 })`,
		func(begun, ended int) bool { return begun == 1 && ended == 0 }},
	{"calls are in flight and others wait", `await Promise.all(Array.from({ length: 100 }, () => tools.s.sleep({ ms: 600_000 })))`,
		func(begun, ended int) bool { return begun >= 16 && ended == 0 }},
	{"answers arrive", `const end = Date.now() + 3000; while (Date.now() < end) await Promise.all(Array.from({ length: 8 }, () => tools.s.echo({ text: "x" })))`,
		func(_, ended int) bool { return ended > 20 }},
}

// faults kill a process with SIGKILL. kinds are the error kinds with which the run may then end; ""
// means without an error, for example because a call waits for the next connection.
var faults = []struct {
	name  string
	of    func(harness.Process) bool
	kinds map[string][]string // by name of the point
}{
	{"the server", func(p harness.Process) bool { return slices.Contains(p.Args, asServer) }, map[string][]string{
		"between two calls": {""}, "a call is in flight": {"threw"}, "calls are in flight and others wait": {"threw"}, "answers arrive": {"", "threw"},
	}},
	{"the sandbox", func(p harness.Process) bool { return p.Worker() == "sandbox" }, map[string][]string{
		"between two calls": {"internal"}, "a call is in flight": {"internal"}, "calls are in flight and others wait": {"internal"}, "answers arrive": {"internal"},
	}},
	{"the gateway", nil, nil},
}

// TestFaultsOfACall kills each process at each point of a call. The run ends, no call stays in flight,
// and the next run works. If the gateway is killed, all processes below it end.
func TestFaultsOfACall(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		for _, point := range points {
			t.Run(fault.name+" is killed while "+point.name, func(t *testing.T) {
				t.Parallel()
				g := gateway(t, fmt.Sprintf(`{"mcpServers": {"s": {"command": %q, "args": [%q]}}}`, self, asServer))
				ready(t, g)
				ended := make(chan []map[string]any, 1)
				go func() {
					events, _ := g.Exec(t.Context(), script(point.code)) // ends early if the gateway is killed
					ended <- events
				}()
				reach(t, g, point.at)
				below := harness.Descendants(g.PID())
				if fault.of == nil {
					killGateway(t, g, below)
					<-ended
					return
				}
				var killed []harness.Process
				for _, p := range below {
					if fault.of(p) {
						_ = syscall.Kill(p.PID, syscall.SIGKILL) // it may have ended already
						killed = append(killed, p)
					}
				}
				wantEnd(t, <-ended, fault.kinds[point.name])
				gone(t, killed) // otherwise the next run could get an idle sandbox that is about to end
				events, err := g.Exec(t.Context(), script(`await tools.s.echo({ text: "next" })`))
				if err != nil {
					t.Fatal(err)
				}
				wantEnd(t, events, []string{""})
			})
		}
	}
}

func script(code string) map[string]any {
	return map[string]any{"code": `import { tools } from "toolscript"; ` + code, "limits": map[string]any{"timeoutMs": 60_000, "toolCalls": 100_000}}
}

// reach waits until the only run has reached a point.
func reach(t *testing.T, g *harness.Gateway, at func(begun, ended int) bool) {
	t.Helper()
	err := harness.Until(t.Context(), func() (bool, error) {
		var runs []struct{ RunID string }
		if _, err := g.Get(t.Context(), "/runs", &runs); err != nil || len(runs) == 0 {
			return false, err
		}
		var run struct{ Calls []struct{ OK *bool } }
		_, err := g.Get(t.Context(), "/runs/"+runs[0].RunID, &run)
		ended := 0
		for _, c := range run.Calls {
			if c.OK != nil {
				ended++
			}
		}
		return at(len(run.Calls), ended), err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func killGateway(t *testing.T, g *harness.Gateway, below []harness.Process) {
	t.Helper()
	if err := g.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = g.Wait() // killed, so an error is expected
	ctx, cancel := context.WithTimeout(t.Context(), reapTime)
	defer cancel()
	if harness.Until(ctx, func() (bool, error) { return len(harness.Alive(below)) == 0, nil }) != nil {
		t.Errorf("left running after %v: %+v", reapTime, harness.Alive(below))
	}
}

// wantEnd checks that a run has ended with one of these kinds.
func wantEnd(t *testing.T, events []map[string]any, kinds []string) {
	t.Helper()
	if len(events) == 0 {
		t.Fatal("the run has no events")
	}
	end := events[len(events)-1]
	kind, _ := end["kind"].(string)
	if end["type"] != "end" || !slices.Contains(kinds, kind) {
		t.Errorf("the run ended with %v, want %q", end, kinds)
	}
	if end["ok"] == true != (kind == "") {
		t.Errorf("the run ended with %v", end)
	}
}
