package actors_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// killedWhenLent is a sandbox that is killed when it is lent, before it gets the script.
type killedWhenLent struct {
	*worker.Sandbox
	left *atomic.Int64 // how many more are killed
}

func (k killedWhenLent) Run(ctx context.Context, j runner.Job, h runner.Host) (runner.Outcome, error) {
	if k.left.Add(-1) >= 0 {
		k.Kill()
		<-k.Done()
	}
	return k.Sandbox.Run(ctx, j, h)
}

// TestSandboxKilledWhileIdle: a run gets another sandbox if its own was killed before it had
// the script, and fails as unavailable if that happens again and again.
func TestSandboxKilledWhileIdle(t *testing.T) {
	cache := t.TempDir()
	var left atomic.Int64
	o := actors.Options{}
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartChecker(ctx, worker.Options{CacheDir: cache})
	}
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) {
		s, err := worker.StartSandbox(ctx, worker.Options{CacheDir: cache})
		return killedWhenLent{s, &left}, err
	}
	s := startWith(t, o)
	for _, c := range []struct {
		killed int64
		kind   toolscript.Kind
	}{{0, ""}, {1, ""}, {2, ""}, {100, toolscript.Unavailable}} {
		left.Store(c.killed)
		var end *toolscript.End
		err := s.Exec(t.Context(), toolscript.ExecRequest{Code: "return 7", Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
			if e.Type == toolscript.EventEnd {
				end = e.End
			}
			return nil
		})
		if err != nil || end == nil || end.Kind != c.kind || c.kind == "" && string(end.Value) != "7" {
			t.Errorf("after %d kills: %+v, %v; want kind %q", c.killed, end, err, c.kind)
		}
	}
}
