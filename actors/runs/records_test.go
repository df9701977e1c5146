package runs_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
)

// TestRecordOfARunThatIsEnding: a request for a record is answered even if the run ends at the same time.
func TestRecordOfARunThatIsEnding(t *testing.T) {
	withRuns(t, callTwice, nil, func(b *bench) {
		for range 500 {
			h := b.begin(b.t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return nil })
			var asking sync.WaitGroup
			for range 4 {
				asking.Go(func() {
					for state := ""; state != "ended"; {
						ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
						record, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[toolscript.RunRecord]) any { return runs.Get{ID: h.ID, Reply: r} })
						cancel()
						if err != nil {
							b.t.Errorf("Get: %v", err)
							return
						}
						state = record.State
					}
				})
			}
			<-h.Done
			asking.Wait()
		}
	})
}

func TestRecordsOfTheLast200(t *testing.T) {
	withRuns(t, callTwice, nil, func(b *bench) {
		for range 205 {
			b.exec(toolscript.ExecRequest{})
			b.events = nil
			time.Sleep(time.Second)
		}
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
		defer cancel()
		all, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[[]toolscript.RunRecord]) any { return runs.List{Reply: r} })
		if err != nil || len(all) != 200 {
			b.t.Fatalf("%d records, %v", len(all), err)
		}
		if all[0].StartedAt.Before(all[199].StartedAt) {
			b.t.Error("the newest run is not the first")
		}
	})
}
