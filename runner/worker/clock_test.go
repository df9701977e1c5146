package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// TestStoppedClock checks that a run whose clock is stopped outlasts its time limit in the engine, in the
// worker's watchdog and in the gateway, and that the limit applies again when the clock runs.
func TestStoppedClock(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	const limit = 500 * time.Millisecond
	for _, c := range []struct {
		name, code string
		want       toolscript.Kind
	}{
		{"while the script waits", `await tools.demo.echo({}); return 1`, ""},
		{"while the script computes", `const call = tools.demo.echo({}); const end = Date.now() + 1000; while (Date.now() < end); await call; return 1`, ""},
		{"and then goes on", `await tools.demo.echo({}); for (;;);`, toolscript.LimitTime},
		{"and then goes on for who waits", `await tools.demo.echo({}); await new Promise((r) => setTimeout(r, 60_000))`, toolscript.LimitTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 5 { // as in survives: on a busy machine the watchdog may act before the engine
				outcome, err := runHeld(t, c.code, limit)
				if kindOf(outcome) != c.want {
					t.Errorf("Run = %s, %+v, %v, want %q", outcome.Value, outcome.Err, err, c.want)
				}
				if err == nil {
					return
				}
				if c.want == "" || !errors.Is(err, worker.ErrKilled) {
					t.Fatalf("Run = %v", err)
				}
			}
			t.Error("the worker was killed five times")
		})
	}
}

// runHeld runs code with a time limit. Its calls stop the clock for longer than the
// limit with all extra time added.
func runHeld(t *testing.T, code string, limit time.Duration) (runner.Outcome, error) {
	t.Helper()
	s, j := startSandbox(t), newJob(t, code)
	j.Limits.TimeoutMs, j.Clock = limit.Milliseconds(), &runner.Clock{}
	return s.Run(t.Context(), j, &host{call: func(_ context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
		defer j.Clock.Hold()()
		<-time.After(3 * limit)
		return c.Args, nil
	}})
}
