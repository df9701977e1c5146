package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// Calls that a script makes at the same time are listed in the order of the script, however
// long the check of their arguments takes.
func TestPlanKeepsTheOrderOfTheScript(t *testing.T) {
	const calls = 12
	fanOut := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		var group sync.WaitGroup
		for i := range calls {
			group.Add(1)
			c := runner.Call{CallID: fmt.Sprint(i), ID: echo.ID(), Args: json.RawMessage(fmt.Sprint(i))}
			if i == calls/2 { // a change of the store needs no check of a tool
				c.ID, c.Args = naming.StoreSet, json.RawMessage(`{"scope":"session","key":"k","value":6}`)
			}
			host.Begin(c, func(a runner.Answer) {
				if a.Failure != nil {
					t.Errorf("call %d: %+v", i, a.Failure)
				}
				group.Done()
			})
		}
		group.Wait()
		return runner.Outcome{}, nil
	}
	withRuns(t, fanOut, func(d *runs.Deps) {
		d.Stub = func(_ context.Context, _ toolscript.Tool, args json.RawMessage) (json.RawMessage, error) {
			var i int
			if err := json.Unmarshal(args, &i); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Duration(calls-i) * time.Second) // the last call is planned first
			return json.RawMessage(`{}`), nil
		}
	}, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{Concurrency: calls}, Rules: toolscript.Rules{Plan: true}})
		var got []string
		for _, c := range end.Plan {
			got = append(got, c.CallID)
		}
		if want := "0 1 2 3 4 5 6 7 8 9 10 11"; strings.Join(got, " ") != want {
			b.t.Errorf("planned in the order %s, want %s", strings.Join(got, " "), want)
		}
		for _, r := range b.record(b.events[0].RunID).Calls {
			if !r.Planned {
				b.t.Errorf("the record of call %s does not say that it was only planned", r.CallID)
			}
		}
	})
}
