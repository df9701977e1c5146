package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// keeper is a connection whose other side applies the time limits.
type keeper struct {
	*fakeConn
	keeps func(context.Context) bool
}

func (k keeper) KeepsLimit(ctx context.Context, _ upstream.Started) bool { return k.keeps(ctx) }

// TestLimitOfAnotherSide: a call may take longer than its limit while the other side confirms that it applies the
// limit. Without a confirmation, the call ends.
func TestLimitOfAnotherSide(t *testing.T) {
	const limit = 5 * time.Second
	for _, tt := range []struct {
		name  string
		keeps func(begun time.Time) func(context.Context) bool
		took  time.Duration // time of a call that the other side answers after a minute
		kind  toolscript.Kind
	}{
		{"it answers", func(time.Time) func(context.Context) bool {
			return func(context.Context) bool { return true }
		}, time.Minute, ""},
		{"it does not have the call", func(time.Time) func(context.Context) bool {
			return func(context.Context) bool { return false }
		}, limit, toolscript.Timeout},
		{"it hangs", func(time.Time) func(context.Context) bool {
			return func(ctx context.Context) bool { <-ctx.Done(); return false }
		}, limit + 700*time.Millisecond, toolscript.Timeout},
		{"asking it blocks", func(time.Time) func(context.Context) bool {
			return func(context.Context) bool { time.Sleep(time.Hour); return true }
		}, limit + 700*time.Millisecond, toolscript.Timeout},
		{"it fails", func(time.Time) func(context.Context) bool {
			return func(context.Context) bool { panic("planted") }
		}, limit + 700*time.Millisecond, toolscript.Timeout},
		{"it hangs after 20 seconds", func(begun time.Time) func(context.Context) bool {
			return func(ctx context.Context) bool {
				if time.Since(begun) < 20*time.Second {
					return true
				}
				<-ctx.Done()
				return false
			}
		}, 20*time.Second + 700*time.Millisecond, toolscript.Timeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.call = func(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
					select {
					case <-time.After(time.Minute):
						return json.RawMessage(`{}`), nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
				k := keeper{conn, tt.keeps(time.Now())}
				r := start(t, options{config: upstream.Config{Timeout: limit}, dial: func(context.Context, int) (server.Conn, error) { return k, nil }})
				got := <-r.call(t.Context(), "a")
				if toolscript.KindOf(got.err) != tt.kind || got.took != tt.took {
					t.Errorf("%v after %s, want %q after %s", got.err, got.took, tt.kind, tt.took)
				}
				if tt.kind != "" && toolscript.SentOf(got.err) != toolscript.SentUnknown {
					t.Errorf("%v: sent %q", got.err, toolscript.SentOf(got.err))
				}
				time.Sleep(2 * time.Hour) // blocked goroutines end before the bubble
			})
		})
	}
}

// TestWaitForAConnectionCountsForTheLimit: a call that has waited for another connection gets
// the rest of its time.
func TestWaitForAConnectionCountsForTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := withTools("a"), withTools("a")
		second.call = never
		r := start(t, options{config: upstream.Config{Timeout: 5 * time.Second}, dial: func(_ context.Context, n int) (server.Conn, error) {
			switch n {
			case 1:
				return first, nil
			case 2:
				return nil, errRefused
			}
			return second, nil
		}})
		first.die(errors.New("exit status 7"))
		synctest.Wait()
		got := <-r.waitingCall(t.Context(), 10*time.Second)
		if toolscript.KindOf(got.err) != toolscript.Timeout || got.took != 5*time.Second {
			t.Errorf("%v after %s, want a timeout after 5s", got.err, got.took)
		}
	})
}

// TestTurnAfterAReconnect: the wait for a turn on a connection does not count for the limit of the server, also if the call
// has waited for that connection before.
func TestTurnAfterAReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := withTools("a"), withTools("a")
		second.call = func(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
			select {
			case <-time.After(3 * time.Second):
				return json.RawMessage(`{}`), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		r := start(t, options{config: upstream.Config{Timeout: 5 * time.Second, Concurrency: 1}, dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return first, nil
			}
			return second, nil
		}})
		first.die(errors.New("exit status 7"))
		synctest.Wait()
		calls := []<-chan outcome{r.waitingCall(t.Context(), 10*time.Second), r.waitingCall(t.Context(), 10*time.Second), r.waitingCall(t.Context(), 10*time.Second)}
		for i, call := range calls {
			if got := <-call; got.err != nil {
				t.Errorf("call %d, after %s: %v", i, got.took, got.err)
			}
		}
	})
}

// TestWaitAfterATurn: a call that waits for its turn for longer than its Wait waits for another connection when this one is
// lost, and fails at the end of its Wait.
func TestWaitAfterATurn(t *testing.T) {
	const wait = 10 * time.Second
	synctest.Test(t, func(t *testing.T) {
		first, second := withTools("a"), withTools("a")
		second.call = never
		dialed := make(chan struct{})
		r := start(t, options{config: upstream.Config{Timeout: time.Minute, Concurrency: 1}, dial: func(ctx context.Context, n int) (server.Conn, error) {
			switch n {
			case 1:
				return first, nil
			case 2:
				<-dialed
				return second, nil
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}})
		first.die(errors.New("exit status 7"))
		synctest.Wait()
		r.waitingCall(t.Context(), wait)
		synctest.Wait()
		queued := r.waitingCall(t.Context(), wait)
		synctest.Wait()
		close(dialed)
		time.Sleep(2 * wait)
		second.die(errors.New("exit status 8"))
		if got := <-queued; toolscript.KindOf(got.err) != toolscript.Unavailable || got.took != 3*wait {
			t.Errorf("%v after %s, want an error after %s", got.err, got.took, 3*wait)
		}
	})
}
