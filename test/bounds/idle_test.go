//go:build linux

package bounds

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/harness"
)

// mostIdle is the maximum private memory of all processes of an idle gateway without servers, in MB.
const mostIdle = 20

// TestIdle checks that some time after the last script, a gateway without servers is one small
// process, and that scripts then still run.
func TestIdle(t *testing.T) {
	g := start(t, bin, `{"mcpServers":{}}`, "--worker-idle", "1s")
	for range 2 {
		events, err := g.Exec(t.Context(), map[string]any{"code": "return 1"})
		if err != nil || len(events) == 0 || events[len(events)-1]["ok"] != true {
			t.Fatalf("events = %v, %v", events, err)
		}
		if err := harness.Until(t.Context(), func() (bool, error) { return len(harness.Descendants(g.PID())) == 0, nil }); err != nil {
			t.Fatalf("processes below the gateway: %+v: %v", harness.Descendants(g.PID()), err)
		}
		var dirty, clean float64
		err = harness.Until(t.Context(), func() (_ bool, err error) {
			dirty, clean, err = harness.Private(g.PID())
			return dirty+clean <= mostIdle, err
		})
		t.Logf("%.1f MB written and %.1f MB of files", dirty, clean)
		if err != nil {
			t.Errorf("the idle gateway has %.1f MB of private memory, want at most %d: %v", dirty+clean, mostIdle, err)
		}
	}
}

// mostReaper is the maximum private memory, in MB, of the process that waits for the end of a gateway.
const mostReaper = 2

// TestReaper checks that the process that waits for the end of a gateway is small.
func TestReaper(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, bin, fmt.Sprintf(`{"mcpServers":{"s":{"command":%q,"args":[%q]}}}`, self, asServer))
	below := harness.Descendants(g.PID())
	i := slices.IndexFunc(below, func(p harness.Process) bool { return p.Args[0] == proc.ProcessName })
	if i < 0 {
		t.Fatalf("no reaper among %+v", below)
	}
	dirty, clean, err := harness.Private(below[i].PID)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f MB written and %.2f MB of files", dirty, clean)
	if dirty+clean > mostReaper {
		t.Errorf("the reaper has %.2f MB of private memory, want at most %d", dirty+clean, mostReaper)
	}
}
