package execution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution"
	"github.com/toolscript/toolscript/runner"
)

// Calls start, and count against the budget, in the order in which the script makes them.
func TestCallsKeepTheirOrder(t *testing.T) {
	const calls, budget = 20, 15
	var made []string
	var refused []int
	fanOut := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		var group sync.WaitGroup
		for i := range calls {
			group.Add(1)
			c := runner.Call{CallID: fmt.Sprint(i), ID: echo.ID(), Args: json.RawMessage(fmt.Sprint(i)), Task: i%2 == 1}
			host.Begin(c, func(a runner.Answer) {
				if a.Failure != nil && a.Failure.Code == toolscript.LimitCalls {
					refused = append(refused, i)
				}
				group.Done()
			})
		}
		group.Wait()
		return runner.Outcome{}, nil
	}
	withRuns(t, fanOut, func(d *execution.Deps) {
		d.Call = func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
			made = append(made, string(c.Args))
			time.Sleep(time.Second)
			return json.RawMessage(`{"content":[]}`), nil
		}
	}, func(b *bench) {
		b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{Concurrency: 1, ToolCalls: budget}})
		if got, want := strings.Join(made, " "), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14"; got != want {
			b.t.Errorf("calls were made in the order %s, want %s", got, want)
		}
		if want := []int{15, 16, 17, 18, 19}; !slices.Equal(refused, want) {
			b.t.Errorf("calls %v were over the budget, want %v", refused, want)
		}
	})
}

// A call whose Start panics fails, and one that Start could not send is made by Call.
func TestStartFails(t *testing.T) {
	var answers []runner.Answer
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for i := range 3 {
			v, failure := invoke(ctx, host, runner.Call{CallID: fmt.Sprint(i), ID: echo.ID()})
			answers = append(answers, runner.Answer{Value: v, Failure: failure})
		}
		return runner.Outcome{}, nil
	}
	withRuns(t, script, func(d *execution.Deps) {
		n := 0
		d.Start = func(_ execution.Started, done func(json.RawMessage, error)) (func(error), bool) {
			switch n++; n {
			case 1:
				panic("planted")
			case 2:
				done(nil, execution.ErrNotSent)
			}
			return func(error) {}, n == 2
		}
	}, func(b *bench) {
		b.exec(toolscript.ExecRequest{})
		if f := answers[0].Failure; f == nil || f.Code != toolscript.Internal {
			b.t.Errorf("after a panic: %+v", answers[0])
		}
		for _, a := range answers[1:] {
			if string(a.Value) != `"demo__echo"` {
				b.t.Errorf("not sent: %s, %+v", a.Value, a.Failure)
			}
		}
		for _, kind := range []toolscript.EventType{toolscript.EventCall, toolscript.EventCallEnd} {
			if n := len(slices.DeleteFunc(slices.Clone(b.events), func(e toolscript.Event) bool { return e.Type != kind })); n != 3 {
				b.t.Errorf("%d events %s, want 3", n, kind)
			}
		}
	})
}
