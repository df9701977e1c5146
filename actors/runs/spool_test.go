package runs_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// A client that does not read delays a run by maxWait only. When it reads again, as a
// pager does, it receives everything, and no file is left.
func TestClientThatDoesNotRead(t *testing.T) {
	folder := t.TempDir()
	var want strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&want, "line %d %s\n", n, strings.Repeat("ä\x1b", 200))
	}
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for line := range strings.Lines(want.String()) {
			host.Write(runner.Stdout, line)
		}
		return runner.Outcome{}, nil
	}
	keeping := func(d *runs.Deps) { d.Kept.Dir = folder }
	withRuns(t, script, keeping, func(b *bench) {
		reads := make(chan struct{})
		var got strings.Builder
		var ended bool
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
			switch e.Type {
			case toolscript.EventStdout:
				<-reads
				got.WriteString(e.Data)
			case toolscript.EventEnd:
				ended = *e.OK
			default:
			}
			return nil
		})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if record := b.record(h.ID); record.State != "ended" || record.OK == nil || !*record.OK {
			b.t.Errorf("the run of a client that does not read: %+v", record)
		}
		close(reads)
		<-h.Done
		if !ended || got.String() != want.String() {
			b.t.Errorf("the client got %d bytes of %d, and the end: %v", got.Len(), want.Len(), ended)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			b.t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

// A slow client slows the script down, and no file is created.
func TestClientThatIsSlow(t *testing.T) {
	folder := t.TempDir()
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		begun := time.Now()
		for range 10 {
			host.Write(runner.Stdout, "x\n")
		}
		if time.Since(begun) < 400*time.Millisecond {
			t.Errorf("the script was slowed down by %s", time.Since(begun))
		}
		return runner.Outcome{}, nil
	}
	keeping := func(d *runs.Deps) { d.Kept.Dir = folder + "/none" }
	withRuns(t, script, keeping, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x"}, func(toolscript.Event) error {
			time.Sleep(100 * time.Millisecond)
			return nil
		})
		<-h.Done
		if _, err := os.Stat(folder + "/none"); !os.IsNotExist(err) {
			b.t.Errorf("a file was made: %v", err)
		}
	})
}
