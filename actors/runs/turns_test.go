package runs_test

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
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/naming"
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
	withRuns(t, fanOut, func(d *runs.Deps) {
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

// A call with an idempotency key is made by Call, which may wait for the first call with the key. An invalid key is
// refused, and so is a key for a call that the gateway answers itself.
func TestIdempotencyKeys(t *testing.T) {
	var called, begun []string
	refused := map[string]*toolscript.ToolError{}
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for i, key := range []string{"", "order-4711"} {
			if _, failure := invoke(ctx, host, runner.Call{CallID: fmt.Sprint(i), ID: echo.ID(), Key: key}); failure != nil {
				t.Errorf("key %q: %+v", key, failure)
			}
		}
		for name, c := range map[string]runner.Call{
			"a space":  {CallID: "2", ID: echo.ID(), Key: "order 4711"},
			"too long": {CallID: "3", ID: echo.ID(), Key: strings.Repeat("k", 256)},
			"a search": {CallID: "4", ID: naming.SearchTools, Args: json.RawMessage(`{"query":"x"}`), Key: "k"},
			"a list":   {CallID: "5", ID: toolscript.ListResources, Args: json.RawMessage(`{}`), Key: "k"},
		} {
			_, refused[name] = invoke(ctx, host, c)
		}
		return runner.Outcome{}, nil
	}
	answer := json.RawMessage(`{"content":[]}`)
	withRuns(t, script, func(d *runs.Deps) {
		d.Call = func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
			called = append(called, c.Key)
			return answer, nil
		}
		d.Start = func(c *toolscript.Call, _ *toolscript.Tool, _ *budget.Held, done func(json.RawMessage, error)) (func(error), bool) {
			begun = append(begun, c.Key)
			go done(answer, nil)
			return func(error) {}, true
		}
	}, func(b *bench) {
		b.exec(toolscript.ExecRequest{})
		if !slices.Equal(called, []string{"order-4711"}) || !slices.Equal(begun, []string{""}) {
			t.Errorf("keys %q were given to Call and %q to Start, want order-4711 and none", called, begun)
		}
		for name, failure := range refused {
			if failure == nil || failure.Code != toolscript.Invalid || failure.Sent != toolscript.SentNo || !strings.Contains(failure.Message, "idempotency key") {
				t.Errorf("%s: %+v, want it refused", name, failure)
			}
		}
	})
}

// A call whose Start panics fails, and one that Start could not send is made by Call.
func TestStartFails(t *testing.T) {
	var answers []runner.Answer
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for i := range 2 {
			v, failure := invoke(ctx, host, runner.Call{CallID: fmt.Sprint(i), ID: echo.ID()})
			answers = append(answers, runner.Answer{Value: v, Failure: failure})
		}
		return runner.Outcome{}, nil
	}
	withRuns(t, script, func(d *runs.Deps) {
		n := 0
		d.Start = func(*toolscript.Call, *toolscript.Tool, *budget.Held, func(json.RawMessage, error)) (func(error), bool) {
			if n++; n == 1 {
				panic("planted")
			}
			return nil, false
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
			if n := len(slices.DeleteFunc(slices.Clone(b.events), func(e toolscript.Event) bool { return e.Type != kind })); n != 2 {
				b.t.Errorf("%d events %s, want 2", n, kind)
			}
		}
	})
}
