package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// TestRecordsHaveStartsAndWaits: the record of a call says when the script made it, and how long it waited for its
// turn, for a person and for its server.
func TestRecordsHaveStartsAndWaits(t *testing.T) {
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		time.Sleep(time.Second)
		var group sync.WaitGroup
		for i := range 3 {
			group.Add(1)
			host.Begin(runner.Call{CallID: fmt.Sprint(i + 1), ID: echo.ID()}, func(runner.Answer) { group.Done() })
		}
		group.Wait()
		return runner.Outcome{}, nil
	}
	withBoth(t, script, func(d *runs.Deps) {
		d.Call = func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
			if c.CallID == "2" {
				time.Sleep(3 * time.Second)
				c.Origin.AddApprovalWait(3 * time.Second)
				c.Origin.Queue(time.Now())
				time.Sleep(500 * time.Millisecond)
				c.Origin.Leave(time.Now())
			}
			if want := map[string]time.Duration{"3": 2 * time.Second}[c.CallID]; c.Queued != want {
				t.Errorf("call %s is made with a wait of %s, want %s", c.CallID, c.Queued, want)
			}
			time.Sleep(2 * time.Second)
			return json.RawMessage(`{"content":[]}`), nil
		}
	}, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{Concurrency: 2}})
		want := []toolscript.CallRecord{
			{CallID: "1", Ms: 2000, StartMs: 1000},
			{CallID: "2", Ms: 5500, StartMs: 1000, Waits: toolscript.Waits{ApprovalMs: 3000, SlotMs: 500}},
			{CallID: "3", Ms: 2000, StartMs: 1000, Waits: toolscript.Waits{QueuedMs: 2000}},
		}
		if diff := cmp.Diff(want, b.record(end.RunID).Calls, cmpopts.IgnoreFields(toolscript.CallRecord{}, "Tool", "OK")); diff != "" {
			b.t.Error(diff)
		}
	})
}
