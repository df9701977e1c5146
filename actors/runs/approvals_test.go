package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/runner"
)

// TestApprovedCallsWaitForTheirTurn: any number of calls can wait for approvals, but after
// that no more calls are made at once than the run allows.
func TestApprovedCallsWaitForTheirTurn(t *testing.T) {
	const calls, concurrency = 10, 2
	var mu sync.Mutex
	var waiting, most, active, made int
	count := func(n *int, by int) {
		mu.Lock()
		defer mu.Unlock()
		*n += by
		most = max(most, active)
	}
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		var group sync.WaitGroup
		for i := range calls {
			group.Add(1)
			host.Begin(runner.Call{CallID: fmt.Sprint(i), ID: echo.ID(), Args: json.RawMessage(fmt.Sprint(i))}, func(runner.Answer) { group.Done() })
		}
		group.Wait()
		return runner.Outcome{}, nil
	}
	withRuns(t, script, func(d *runs.Deps) {
		d.Start = notNow
		d.Call = func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
			asked, resume := c.Waiting()
			asked(toolscript.Approval{ID: c.CallID})
			count(&waiting, 1)
			time.Sleep(time.Minute) // the person decides
			mu.Lock()
			if waiting != calls {
				t.Errorf("%d calls wait for approvals, want %d at once", waiting, calls)
			}
			mu.Unlock()
			allowed := len(c.CallID)%2 == 1 && c.CallID < "6"
			resume(allowed)
			if !allowed {
				return nil, errors.New("denied")
			}
			count(&active, 1)
			time.Sleep(time.Second)
			count(&active, -1)
			count(&made, 1)
			return json.RawMessage(`{"content":[]}`), nil
		}
	}, func(b *bench) {
		b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{Concurrency: concurrency}})
		mu.Lock()
		defer mu.Unlock()
		if made != 6 || most != concurrency {
			b.t.Errorf("%d calls were made, %d at once; want 6, %d at once", made, most, concurrency)
		}
	})
}

// TestApprovedCallOfAnAbortedRun: an approved call does not wait for a turn after its run was aborted.
func TestApprovedCallOfAnAbortedRun(t *testing.T) {
	var ended chan struct{}
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		var group sync.WaitGroup
		for i := range 2 {
			group.Add(1)
			host.Begin(runner.Call{CallID: fmt.Sprint(i), ID: echo.ID()}, func(runner.Answer) { group.Done() })
		}
		<-ctx.Done()
		group.Wait()
		return runner.Outcome{}, ctx.Err()
	}
	withRuns(t, script, func(d *runs.Deps) {
		ended = make(chan struct{}, 2) // in the bubble of the test
		d.Start = notNow
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			asked, resume := c.Waiting()
			asked(toolscript.Approval{ID: c.CallID})
			time.Sleep(time.Minute)
			resume(true)
			ended <- struct{}{}
			<-ctx.Done() // the first one is made until the end of the run
			return nil, ctx.Err()
		}
	}, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Limits: toolscript.Limits{Concurrency: 1}}, b.emit)
		<-ended // the other one waits for its turn
		asking, cancel := context.WithTimeout(b.t.Context(), time.Minute)
		defer cancel()
		if _, err := mailbox.Ask(asking, b.at, func(r mailbox.Reply[struct{}]) any { return runs.Abort{ID: h.ID, Reply: r} }); err != nil {
			b.t.Fatal(err)
		}
		<-ended
		<-h.Done
	})
}

// notNow is a Deps.Start that makes no call.
func notNow(*toolscript.Call, *toolscript.Tool, *budget.Held, func(json.RawMessage, error)) (func(error), bool) {
	return nil, false
}
