package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
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

// A call of a second run is sent after one call of the first run, not after all of
// them.
func TestRunsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: calling(
			func(_ context.Context, tool string, _ func()) (json.RawMessage, error) {
				order = append(order, tool)
				time.Sleep(time.Second)
				return json.RawMessage(`{}`), nil
			})})
		var calls []<-chan outcome
		for i := range 4 {
			calls = append(calls, r.callOf(t.Context(), "greedy", fmt.Sprint("greedy", i)))
			synctest.Wait()
		}
		for i := range 2 {
			calls = append(calls, r.callOf(t.Context(), "modest", fmt.Sprint("modest", i)))
			synctest.Wait()
		}
		for _, done := range calls {
			if got := <-done; got.err != nil {
				t.Error(got.err)
			}
		}
		want := []string{"greedy0", "greedy1", "modest0", "greedy2", "modest1", "greedy3"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
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

// These calls were not sent, so their callers may repeat them.
func TestLossFailsWaitingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = never
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return conn, nil
			}
			return nil, errRefused
		}})
		sent := r.call(t.Context(), "a")
		synctest.Wait()
		queued := r.call(t.Context(), "a")
		synctest.Wait()
		conn.die(errors.New("exit status 7"))
		if got := <-sent; !strings.Contains(got.err.Error(), "not known") {
			t.Errorf("the call in flight = %v", got.err)
		}
		got := <-queued
		var e *toolscript.Error
		if !errors.As(got.err, &e) || e.Kind != toolscript.Unavailable || e.RetryAfter <= 0 ||
			!strings.Contains(e.Error(), "exit status 7") || strings.Contains(e.Error(), "not known") {
			t.Errorf("the call that waited = %v", got.err)
		}
	})
}
