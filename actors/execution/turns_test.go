package execution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution"
	"github.com/toolscript/toolscript/runner"
)

// Calls start, and count against the budget, in the order in which the script makes them,
// whichever of their goroutines runs first.
func TestCallsKeepTheirOrder(t *testing.T) {
	const calls, budget = 20, 15
	var made []string
	var refused []int
	fanOut := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		answers := make([]runner.Pending, calls)
		for i := range answers {
			args := json.RawMessage(fmt.Sprint(i))
			answers[i] = host.Begin(ctx, runner.Call{CallID: fmt.Sprint(i), ID: echo.ID(), Args: args, Task: i%2 == 1})
		}
		var group sync.WaitGroup
		for i, wait := range slices.Backward(answers) {
			group.Go(func() {
				if _, failure := wait(); failure != nil && failure.Code == toolscript.LimitCalls {
					refused = append(refused, i)
				}
			})
			synctest.Wait() // it waits
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
		if want := []int{19, 18, 17, 16, 15}; !slices.Equal(refused, want) {
			b.t.Errorf("calls %v were over the budget, want %v", refused, want)
		}
	})
}
