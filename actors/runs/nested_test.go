package runs_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/runner"
)

const nestedFile = "nested.ts"

// nesting has the first call of each script of a client run a nested script, and the others note how much time they
// have left.
type nesting struct {
	b *bench

	mu   sync.Mutex
	left []time.Duration
	ends []toolscript.Event // of nested runs
}

// call is Deps.Call.
func (n *nesting) call(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
	if string(c.Args) != `"nest"` {
		if c.Left != nil {
			n.mu.Lock()
			n.left = append(n.left, c.Left())
			n.mu.Unlock()
		}
		return json.RawMessage(`{"content":[]}`), nil
	}
	asking, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	h, err := mailbox.Ask(asking, n.b.at, func(r mailbox.Reply[runs.Handle]) any {
		return runs.Begin{Ctx: ctx, Request: toolscript.ExecRequest{Code: "n", File: nestedFile, Parent: c.Run}, Reply: r, Emit: func(e toolscript.Event) error {
			if e.Type == toolscript.EventEnd {
				n.mu.Lock()
				defer n.mu.Unlock()
				n.ends = append(n.ends, e)
			}
			return nil
		}}
	})
	if err != nil {
		return nil, err
	}
	<-h.Done
	return json.RawMessage(`{"content":[]}`), nil
}

// withNesting runs a script of a client, in which nest makes a call of the nested script.
func withNesting(t *testing.T, client, nested sandbox, change func(*runs.Deps), test func(b *bench, n *nesting)) {
	t.Helper()
	n := &nesting{}
	script := func(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
		if job.File == nestedFile {
			return nested(ctx, job, host)
		}
		return client(ctx, job, host)
	}
	withRunsOf(t, false, script, func(d *runs.Deps) {
		d.Call = n.call
		if change != nil {
			change(d)
		}
	}, func(b *bench) {
		n.b = b
		test(b, n)
	})
}

func nest(ctx context.Context, host runner.Host) *toolscript.ToolError {
	_, failure := invoke(ctx, host, runner.Call{CallID: "nest", ID: echo.ID(), Args: json.RawMessage(`"nest"`)})
	return failure
}

// callOnce makes a call that notes the time left.
func callOnce(ctx context.Context, host runner.Host, id string) *toolscript.ToolError {
	_, failure := invoke(ctx, host, runner.Call{CallID: id, ID: echo.ID(), Args: json.RawMessage(`{}`)})
	return failure
}

// TestNestedRunHasTheTimeOfItsCaller: a nested run neither has more time than its caller nor
// gives its caller more.
func TestNestedRunHasTheTimeOfItsCaller(t *testing.T) {
	client := func(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
		time.Sleep(4 * time.Minute)
		release := job.Clock.Hold()
		time.Sleep(time.Hour)
		release()
		if failure := nest(ctx, host); failure != nil {
			return thrown(failure), nil
		}
		time.Sleep(time.Minute)
		callOnce(ctx, host, "after")
		return runner.Outcome{}, nil
	}
	nested := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		time.Sleep(time.Minute)
		callOnce(ctx, host, "inside")
		return runner.Outcome{}, nil
	}
	withNesting(t, client, nested, nil, func(b *bench, n *nesting) {
		end := b.exec(toolscript.ExecRequest{Code: "c", Limits: toolscript.Limits{TimeoutMs: 10 * 60_000}})
		if len(n.left) != 2 || n.left[0] != 5*time.Minute || n.left[1] != 4*time.Minute {
			t.Errorf("time left %v, want 5 and 4 minutes; the end: %+v", n.left, end.End)
		}
	})
}

// TestRunsBeginAndCallAtTheSameTime is for the race detector: the start of a nested run and
// the calls of its caller.
func TestRunsBeginAndCallAtTheSameTime(t *testing.T) {
	client := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		var all sync.WaitGroup
		all.Go(func() { nest(ctx, host) })
		for _, id := range []string{"1", "2", "3", "4"} {
			all.Go(func() { callOnce(ctx, host, id) })
		}
		all.Wait()
		return runner.Outcome{}, nil
	}
	nested := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		callOnce(ctx, host, "1")
		return runner.Outcome{}, nil
	}
	withNesting(t, client, nested, nil, func(b *bench, n *nesting) {
		// The end of a run has the calls of its nested runs, too.
		if end := b.exec(toolscript.ExecRequest{Code: "c"}); end.Metrics.ToolCalls != 6 || len(n.left) != 5 {
			t.Errorf("%d calls, %d of them with a time, want 6 and 5", end.Metrics.ToolCalls, len(n.left))
		}
	})
}

// TestNestedRunOutlivesItsCaller: after the end of the caller, what the nested run prints is
// not kept for the caller, and an agent's nested run makes no calls, which its budget would
// not have.
func TestNestedRunOutlivesItsCaller(t *testing.T) {
	for agent, want := range map[string]toolscript.Kind{"": "", "agent_1": toolscript.Cancelled} {
		over, dir := make(chan struct{}), t.TempDir()
		var failure *toolscript.ToolError
		client := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
			go invoke(context.WithoutCancel(ctx), host, runner.Call{CallID: "nest", ID: echo.ID(), Args: json.RawMessage(`"nest"`), Task: true})
			synctest.Wait()
			return runner.Outcome{}, nil
		}
		nested := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
			<-over
			host.Write(runner.Stdout, "more than a byte")
			failure = callOnce(ctx, host, "late")
			return runner.Outcome{}, nil
		}
		kept := func(d *runs.Deps) {
			over = make(chan struct{}) // in the bubble
			d.Kept = kept.Outputs{Dir: dir}
		}
		withNesting(t, client, nested, kept, func(b *bench, n *nesting) {
			end := b.exec(toolscript.ExecRequest{Code: "c", Limits: toolscript.Limits{OutputBytes: 1}, Rules: toolscript.Rules{Agent: agent}})
			close(over)
			synctest.Wait()
			if len(n.ends) != 1 || failure == nil != (want == "") || failure != nil && failure.Code != want {
				t.Errorf("agent %q: %d ends, the call after the end: %+v, want %q", agent, len(n.ends), failure, want)
			}
			files, err := os.ReadDir(dir)
			if err != nil || len(files) == 0 { // those of the nested run
				t.Errorf("kept files: %v, %v", files, err)
			}
			for _, f := range files {
				if strings.Contains(f.Name(), end.RunID) {
					t.Errorf("%s was written after the end of its run", f.Name())
				}
			}
		})
	}
}

// TestNestedRunsHaveSandboxesOfTheirOwn checks that the request for a sandbox says whether
// the run is nested.
func TestNestedRunsHaveSandboxesOfTheirOwn(t *testing.T) {
	client := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		nest(ctx, host)
		return runner.Outcome{}, nil
	}
	nested := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) { return runner.Outcome{}, nil }
	var lent []bool
	withNesting(t, client, nested, func(d *runs.Deps) {
		lend := d.Sandbox
		d.Sandbox = func(ctx context.Context) (runner.Runner, runs.GiveBack, error) {
			lent = append(lent, runs.Nested(ctx))
			return lend(ctx)
		}
	}, func(b *bench, _ *nesting) {
		b.exec(toolscript.ExecRequest{Code: "c"})
		if len(lent) != 2 || lent[0] || !lent[1] {
			t.Errorf("nested: %v, want false, true", lent)
		}
	})
}
