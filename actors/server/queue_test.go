package server_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestBusyWhen1024CallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: calling(never)})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var calls []<-chan outcome
		for range 64 + 1024 {
			calls = append(calls, r.call(ctx, "a"))
		}
		synctest.Wait()
		if s := r.status(); s.InFlight != 64 || s.Queued != 1024 {
			t.Fatalf("%d calls in flight, %d waiting, want 64 and 1,024", s.InFlight, s.Queued)
		}
		if got := <-r.call(ctx, "a"); toolscript.KindOf(got.err) != toolscript.Busy {
			t.Errorf("call 1,089 = %v, want busy", got.err)
		}
		cancel()
		for _, done := range calls {
			if got := <-done; toolscript.KindOf(got.err) != toolscript.Cancelled {
				t.Fatalf("call = %v, want cancelled", got.err)
			}
		}
		synctest.Wait()
		if s := r.status(); s.InFlight != 0 || s.Queued != 0 {
			t.Errorf("%d calls in flight, %d waiting after their callers left, want none", s.InFlight, s.Queued)
		}
	})
}

// The time limit of a call begins when the call is sent, and a caller whose context
// ends loses its place in the queue.
func TestWaitingTakesNoTimeOfTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{config: upstream.Config{Concurrency: 1, Timeout: 10 * time.Second}, dial: calling(
			func(context.Context, string, func()) (json.RawMessage, error) {
				time.Sleep(8 * time.Second)
				return json.RawMessage(`{}`), nil
			})})
		first := r.call(t.Context(), "a")
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		second := r.call(impatient, "b")
		synctest.Wait()
		third := r.call(t.Context(), "c")
		if got := <-second; toolscript.KindOf(got.err) != toolscript.Timeout || got.took != 3*time.Second {
			t.Errorf("the impatient call = %v after %v, want a time-out after 3 s", got.err, got.took)
		}
		if got := <-first; got.err != nil || got.took != 8*time.Second {
			t.Errorf("the first call = %v after %v", got.err, got.took)
		}
		if got := <-third; got.err != nil || got.took != 16*time.Second {
			t.Errorf("the third call = %v after %v, want an answer after 16 s", got.err, got.took)
		}
	})
}
