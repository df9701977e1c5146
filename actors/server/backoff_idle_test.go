package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
)

// repaired returns a dial function that fails until works is true.
func repaired(works *atomic.Bool) func(context.Context, int) (server.Conn, error) {
	return func(context.Context, int) (server.Conn, error) {
		time.Sleep(100 * time.Millisecond) // until all callers have called
		if !works.Load() {
			return nil, errRefused
		}
		return withTools("a"), nil
	}
}

// Each use begins one attempt, whatever the number of callers, and the callers wait
// for it.
func TestServerInBackoffIsTriedOnUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := new(atomic.Bool)
		r := start(t, options{dial: repaired(works)})
		time.Sleep(3 * time.Minute) // after about a minute and a half, the next attempt is five minutes away
		if n := len(r.dialTimes()); n != 8 {
			t.Fatalf("%d dials, want 8", n)
		}
		var calls []<-chan outcome
		for range 20 {
			calls = append(calls, r.waitingCall(t.Context(), 10*time.Second))
		}
		for _, call := range calls {
			got := <-call
			if toolscript.KindOf(got.err) != toolscript.Unavailable || !strings.Contains(got.err.Error(), "refused") || got.took > 2*time.Second {
				t.Errorf("after %v: %v, want the reason of the try", got.took, got.err)
			}
		}
		if n := len(r.dialTimes()); n != 9 {
			t.Errorf("%d dials after many calls at once, want one more", n)
		}
		works.Store(true)
		if got := <-r.waitingCall(t.Context(), 10*time.Second); got.err != nil || got.took > 2*time.Second {
			t.Errorf("a call after the repair: %v after %v", got.err, got.took)
		}
	})
}

// A call without Wait fails at once and triggers an attempt.
func TestUnwaitedCallStartsAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := new(atomic.Bool)
		r := start(t, options{dial: repaired(works)})
		time.Sleep(3 * time.Minute)
		works.Store(true)
		got := <-r.call(t.Context(), "a")
		var e *toolscript.Error
		if !errors.As(got.err, &e) || e.Kind != toolscript.Unavailable || e.RetryAfter != time.Second || got.took > 0 {
			t.Errorf("after %v: %v, want a refusal for a second", got.took, got.err)
		}
		time.Sleep(time.Second)
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("state = %s, want ready", s)
		}
	})
}

// The error contains the next step and no time. A call still triggers an attempt.
func TestPermanentErrorIsRetriedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		missing := &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: errors.New("no such command in PATH; install it")}
		works := new(atomic.Bool)
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) {
			if !works.Load() {
				return nil, missing
			}
			return withTools("a"), nil
		}})
		time.Sleep(4 * time.Minute)
		if n := len(r.dialTimes()); n != 1 {
			t.Errorf("%d dials, want 1", n)
		}
		if s := r.status(); s.State != toolscript.Backoff || !s.Permanent {
			t.Errorf("status = %+v", s)
		}
		got := <-r.waitingCall(t.Context(), 10*time.Second)
		var e *toolscript.Error
		if !errors.As(got.err, &e) || e.RetryAfter != 0 || strings.Contains(e.Error(), "again in") ||
			!strings.Contains(e.Error(), "install it") || !strings.Contains(e.Error(), "gateway reload") {
			t.Errorf("call = %v, want the cure", got.err)
		}
		if n := len(r.dialTimes()); n != 2 {
			t.Errorf("%d dials after a call, want 2", n)
		}
		works.Store(true)
		if got := <-r.waitingCall(t.Context(), 10*time.Second); got.err != nil {
			t.Errorf("a call after the cure: %v", got.err)
		}
	})
}

// A call of a server that cannot start causes an attempt. Its reason is logged when it
// changes.
func TestReasonIsLoggedOncePerChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var why atomic.Pointer[error]
		set := func(text string) {
			err := error(&toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: errors.New(text)})
			why.Store(&err)
		}
		set("no such command")
		var log bytes.Buffer
		r := start(t, options{logger: slog.New(slog.NewTextHandler(&log, nil)), dial: func(context.Context, int) (server.Conn, error) {
			return nil, *why.Load()
		}})
		for _, text := range []string{"no such command", "no such folder", "no such command"} {
			set(text)
			for range 5 {
				<-r.waitingCall(t.Context(), 10*time.Second)
			}
		}
		synctest.Wait()
		if n := strings.Count(log.String(), "server not connected"); n != 3 {
			t.Errorf("%d lines, want 3:\n%s", n, log.String())
		}
	})
}

// Retry makes an unconnected server connect at once, and does not affect a connected
// server.
func TestRetry(t *testing.T) {
	unsupported := &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("an old version")}
	refused := &toolscript.Error{Kind: toolscript.Unauthorized, Err: errors.New("the header is not accepted")}
	for name, err := range map[string]error{"backoff": errRefused, "failed": unsupported, "needs_auth": refused} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				works := new(atomic.Bool)
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) {
					if !works.Load() {
						return nil, err
					}
					return withTools("a"), nil
				}})
				time.Sleep(3 * time.Minute)
				if s := r.state(); string(s) != name {
					t.Fatalf("state = %s, want %s", s, name)
				}
				works.Store(true)
				before := len(r.dialTimes())
				for range 3 {
					r.at.Engine.Send(r.at.PID, server.Retry{})
					synctest.Wait()
				}
				if s, n := r.state(), len(r.dialTimes()); s != toolscript.Ready || n != before+1 {
					t.Errorf("state = %s after %d more dials, want ready after one", s, n-before)
				}
			})
		})
	}
}
