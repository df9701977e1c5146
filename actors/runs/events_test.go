package runs_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// Events of calls may be delayed and then arrive together, but in order. All other events
// arrive at once.
func TestEventsOfCallsAreDelayed(t *testing.T) {
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		time.Sleep(time.Millisecond) // the client has taken the start
		invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID()})
		time.Sleep(5 * time.Millisecond)
		invoke(ctx, host, runner.Call{CallID: "2", ID: echo.ID()})
		time.Sleep(95 * time.Millisecond)
		invoke(ctx, host, runner.Call{CallID: "3", ID: echo.ID()})
		host.Write(runner.Stdout, "x")
		time.Sleep(100 * time.Millisecond)
		return runner.Outcome{}, nil
	}
	withBoth(t, script, nil, func(b *bench) {
		begun := time.Now()
		var got []string
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
			got = append(got, fmt.Sprint(e.Type, e.CallID, " ", time.Since(begun).Milliseconds()))
			return nil
		})
		<-h.Done
		want := []string{
			"start 0", "call1 11", "callEnd1 11", "call2 11", "callEnd2 11",
			"call3 101", "callEnd3 101", "stdout 101", "end 201",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events, each with its milliseconds (-want +got):\n%s", diff)
		}
	})
}

// A client that does not read events of calls delays the run no longer than one that does
// not read output, and receives all events later.
func TestEventsOfCallsWithoutAReader(t *testing.T) {
	const calls = 500
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for i := range calls {
			invoke(ctx, host, runner.Call{CallID: fmt.Sprint(i), ID: echo.ID()})
		}
		return runner.Outcome{}, nil
	}
	keeping := func(d *runs.Deps) { d.Kept.Dir = t.TempDir() }
	withBoth(t, script, keeping, func(b *bench) {
		reads, reported := make(chan struct{}), 0
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
			if e.Type == toolscript.EventCall || e.Type == toolscript.EventCallEnd {
				<-reads
				reported++
			}
			return nil
		})
		time.Sleep(5 * time.Second)
		if record := b.record(h.ID); record.State != "ended" {
			t.Errorf("the run of a client that does not read is %s", record.State)
		}
		close(reads)
		<-h.Done
		if reported != 2*calls {
			t.Errorf("%d events of %d calls", reported, calls)
		}
	})
}
