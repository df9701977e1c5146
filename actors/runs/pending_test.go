package runs_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// sandboxProcess stands for the process of a sandbox.
type sandboxProcess struct{}

func (sandboxProcess) PID() int              { return os.Getpid() }
func (sandboxProcess) Done() <-chan struct{} { return nil }

// leftBehind is a script that makes calls and ends while they are pending. It runs in a session, like the script of
// a real sandbox.
func leftBehind(ids ...string) sandbox {
	return func(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
		s := session.New(ctx, sandboxProcess{}, job, host, session.Options{
			Log: slog.New(slog.DiscardHandler), Poll: time.Hour, MaxAnswer: 1 << 20,
			Overrun: func() *toolscript.RunError { return nil }, Deliver: func(session.Answer) func() { return nil },
		})
		defer s.Close()
		for _, id := range ids {
			if err := s.Call(runner.Call{CallID: id, ID: echo.ID(), Args: json.RawMessage(`"` + id + `"`)}, 10); err != nil {
				return runner.Outcome{}, err
			}
		}
		synctest.Wait()
		s.End(runner.Outcome{Value: json.RawMessage("1")})
		outcome, _, err := s.Wait(ctx)
		return outcome, err
	}
}

// TestPendingCallsHaveGrace ends a script with calls that are pending: they are cancelled
// and have 250 ms to end. The run ends then, and names the calls that have not ended.
func TestPendingCallsHaveGrace(t *testing.T) {
	const slow, tooSlow, deaf = "1", "2", "3" // calls by the time that they take after the cancellation
	takes := map[string]time.Duration{slow: 249 * time.Millisecond, tooSlow: 251 * time.Millisecond, deaf: time.Hour}
	var mu sync.Mutex                      // guards cancelled
	var cancelled map[string]time.Duration // when, since the start of the test
	change := func(d *runs.Deps) {
		begun := time.Now()
		cancelled = map[string]time.Duration{}
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			<-ctx.Done()
			mu.Lock()
			cancelled[c.CallID] = time.Since(begun)
			mu.Unlock()
			time.Sleep(takes[c.CallID])
			return nil, toolscript.ContextError(ctx)
		}
	}
	for name, test := range map[string]struct {
		calls    []string
		detached []toolscript.DetachedCall
		took     time.Duration
	}{
		"honour it in time": {[]string{slow}, nil, 249 * time.Millisecond},
		"too late":          {[]string{slow, tooSlow}, []toolscript.DetachedCall{{CallID: tooSlow, Tool: echo.ID()}}, 250 * time.Millisecond},
		"ignore it":         {[]string{deaf, slow}, []toolscript.DetachedCall{{CallID: deaf, Tool: echo.ID()}}, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			withRunsOf(t, false, leftBehind(test.calls...), change, func(b *bench) {
				begun := time.Now()
				end := b.exec(toolscript.ExecRequest{})
				if diff := cmp.Diff(test.detached, end.Detached); diff != "" {
					b.t.Errorf("detached (-want +got):\n%s", diff)
				}
				if took := time.Since(begun); took != test.took {
					b.t.Errorf("the run took %v, want %v", took, test.took)
				}
				mu.Lock()
				if len(cancelled) != len(test.calls) || cancelled[test.calls[0]] != 0 {
					b.t.Errorf("cancelled %v, want all calls at once", cancelled)
				}
				mu.Unlock()
				time.Sleep(2 * time.Hour) // the deaf call ends
			})
		})
	}
}

// TestTaskTime checks that a task of the script of an answer ends an hour after its
// script, and that its result says so.
func TestTaskTime(t *testing.T) {
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		host.Begin(runner.Call{CallID: "1", ID: echo.ID(), Task: true}, func(runner.Answer) {})
		synctest.Wait()
		return runner.Outcome{}, nil
	}
	dir := t.TempDir()
	change := func(d *runs.Deps) {
		types := d.Types
		d.Dialect = func(ctx context.Context, uses runner.Uses, _ toolscript.Filter) (runner.Declarations, error) {
			return types(ctx, uses)
		}
		d.Builtins, d.Kept = func() []string { return nil }, kept.Outputs{Dir: dir}
		d.Call = func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, toolscript.ContextError(ctx)
		}
	}
	withRunsOf(t, true, script, change, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Dialect: toolscript.DialectHarness})
		time.Sleep(59 * time.Minute)
		if calls := b.record(end.RunID).Calls; len(calls) != 1 || calls[0].OK != nil || !calls[0].Detached {
			b.t.Errorf("calls after 59 minutes: %+v", calls)
		}
		time.Sleep(2 * time.Minute)
		if calls := b.record(end.RunID).Calls; len(calls) != 1 || calls[0].Kind != toolscript.LimitTime {
			b.t.Errorf("calls after 61 minutes: %+v", calls)
		}
		kept, err := kept.Outputs{Dir: dir}.Read(end.RunID, toolscript.OutputQuery{Task: "1"})
		var result toolscript.TaskResult
		if err != nil || json.Unmarshal(kept, &result) != nil || result.OK || result.Error == nil || result.Error.Code != toolscript.LimitTime {
			b.t.Errorf("result %s, %v", kept, err)
		}
	})
}
