package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

var errRefused = &toolscript.Error{Kind: toolscript.Unavailable, Server: "fake", Err: errors.New("connection refused")}

func TestToolsAreAnnouncedBeforeReadyAndStayKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conns := []*fakeConn{withTools("a", "b"), withTools("a", "c")}
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) { return conns[n-1], nil }})
		want := []string{"connecting", "tools: a b", "ready"}
		if diff := cmp.Diff(want, describe(r.take())); diff != "" {
			t.Errorf("at the start (-want +got):\n%s", diff)
		}
		conns[0].die(errors.New("exit status 7"))
		want = []string{"backoff"}
		if diff := cmp.Diff(want, describe(r.take())); diff != "" {
			t.Errorf("at the loss (-want +got):\n%s", diff)
		}
		if !conns[0].isClosed() {
			t.Error("the lost connection is not closed")
		}
		status := r.status()
		if status.Error != "exit status 7: last words" || status.NextRetry == nil || len(status.Stderr) == 0 {
			t.Errorf("status in backoff = %+v, want the error, the next try and the last words", status)
		}
		time.Sleep(2 * time.Second)
		want = []string{"connecting", "tools: a c", "ready"}
		if diff := cmp.Diff(want, describe(r.take())); diff != "" {
			t.Errorf("at the return (-want +got):\n%s", diff)
		}
		status = r.status()
		if status.Restarts != 1 || status.Error != "" || status.NextRetry != nil || status.Title != "Fake" {
			t.Errorf("status = %+v, want one restart and no error", status)
		}
	})
}

// TestBackoffDoublesUpToTheCap checks the delays: 0.5 s doubling to 20 s, each with
// 50 % jitter, and five minutes from the eighth attempt on.
func TestBackoffDoublesUpToTheCap(t *testing.T) {
	dial := func(context.Context, int) (server.Conn, error) { return nil, errRefused }
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: dial})
		time.Sleep(15 * time.Minute)
		dials := r.dialTimes()
		if len(dials) != 10 {
			t.Fatalf("%d dials in a quarter of an hour, want 8, and one every five minutes", len(dials))
		}
		for i := 1; i < len(dials); i++ {
			middle := min(500*time.Millisecond<<min(i-1, 10), 20*time.Second)
			delay := dials[i] - dials[i-1]
			if i >= 8 {
				if delay != 5*time.Minute {
					t.Errorf("delay %d = %v, want five minutes", i, delay)
				}
				continue
			}
			if delay < middle/2 || delay > middle*3/2 || delay > 30*time.Second {
				t.Errorf("delay %d = %v, want %v ± half", i, delay, middle)
			}
		}
		if status := r.status(); status.Attempt != len(dials) || status.Error != "connection refused" {
			t.Errorf("status = %+v, want attempt %d", status, len(dials))
		}
	})
}

// A server that dies right after the handshake must not be started twice a second
// forever.
func TestBackoffIsResetAfterHalfAMinute(t *testing.T) {
	tests := []struct {
		name     string
		up       time.Duration
		min, max time.Duration // of the delay after the seventh loss
	}{
		{"dies at once", time.Millisecond, 10 * time.Second, 30 * time.Second},
		{"dies a moment too soon", 30*time.Second - time.Millisecond, 10 * time.Second, 30 * time.Second},
		{"stays up", 30 * time.Second, 250 * time.Millisecond, 750 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dial := func(context.Context, int) (server.Conn, error) {
				c := newConn()
				time.AfterFunc(tt.up, func() { c.die(nil) })
				return c, nil
			}
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{dial: dial})
				time.Sleep(10 * time.Minute)
				dials := r.dialTimes()
				if len(dials) < 8 {
					t.Fatalf("%d dials, want at least 8", len(dials))
				}
				delay := dials[7] - dials[6] - tt.up
				if delay < tt.min || delay > tt.max {
					t.Errorf("delay = %v, want between %v and %v", delay, tt.min, tt.max)
				}
			})
		})
	}
}

func TestConnectTimeout(t *testing.T) {
	tests := []struct {
		name string
		dial func(ctx context.Context) (server.Conn, error)
		take time.Duration // until the attempt fails
		busy time.Duration // how much longer the dial runs, which no other follows before
	}{
		{"dial never answers", func(ctx context.Context) (server.Conn, error) {
			<-ctx.Done()
			return nil, errRefused
		}, 30 * time.Second, 0},
		{"list never answers", func(context.Context) (server.Conn, error) {
			c := newConn()
			c.list = func(ctx context.Context) ([]toolscript.Tool, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return c, nil
		}, 30 * time.Second, 0},
		{"dial keeps to no context", func(context.Context) (server.Conn, error) {
			time.Sleep(2 * time.Minute)
			return newConn(), nil
		}, 40 * time.Second, 79 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dial := func(ctx context.Context, n int) (server.Conn, error) {
				if n > 1 {
					return newConn(), nil
				}
				return tt.dial(ctx)
			}
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{dial: dial})
				time.Sleep(tt.take - time.Millisecond)
				if got := r.state(); got != toolscript.Connecting {
					t.Errorf("state just before = %s, want connecting", got)
				}
				time.Sleep(time.Millisecond)
				if got := r.state(); got != toolscript.Backoff {
					t.Errorf("state = %s, want backoff", got)
				}
				if got := r.status().Error; !strings.Contains(got, "within 30s") {
					t.Errorf("error = %q, want the time in it", got)
				}
				time.Sleep(tt.busy)
				if got, dials := r.state(), len(r.dialTimes()); got != toolscript.Backoff && tt.busy > 0 || dials > 1 && tt.busy > 0 {
					t.Errorf("while the dial runs, the state is %s after %d dials", got, dials)
				}
				time.Sleep(time.Second)
				if got := r.state(); got != toolscript.Ready {
					t.Errorf("state after the next try = %s, want ready", got)
				}
			})
		})
	}
}

func TestLateConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := newConn()
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n > 1 {
				return newConn(), nil
			}
			time.Sleep(2 * time.Minute)
			return late, nil
		}})
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if !late.isClosed() {
			t.Error("the late connection is open")
		}
		if status := r.status(); status.State != toolscript.Ready || status.Restarts != 0 {
			t.Errorf("status = %+v, want ready at the first connection", status)
		}
	})
}

// TestStopDuringDial: a connection that a dial returns after the end of the actor is closed.
func TestStopDuringDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn()
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) {
			time.Sleep(time.Second)
			return conn, nil
		}})
		r.stop()
		if !conn.isClosed() {
			t.Error("the connection is open")
		}
	})
}

func TestEndsWithoutBackoff(t *testing.T) {
	fail := func(kind toolscript.Kind) func(context.Context, int) (server.Conn, error) {
		return func(context.Context, int) (server.Conn, error) {
			return nil, &toolscript.Error{Kind: kind, Server: "fake", Err: errors.New("no")}
		}
	}
	untrusted := errors.New("not trusted; run: toolscript trust")
	tests := []struct {
		name    string
		o       options
		state   toolscript.ServerState
		dials   int
		refusal toolscript.Kind
		text    string
	}{
		{
			"needs authorization", options{dial: fail(toolscript.Unauthorized)},
			toolscript.NeedsAuth, 1, toolscript.Unauthorized, "toolscript auth fake",
		},
		{
			"unsupported type", options{dial: fail(toolscript.Unsupported)},
			toolscript.Failed, 1, toolscript.Unavailable, "fake: ",
		},
		{
			"configuration with a problem", options{config: upstream.Config{Problem: untrusted}, dial: fail(toolscript.Internal)},
			toolscript.Failed, 0, toolscript.Unavailable, "toolscript trust",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, tt.o)
				time.Sleep(time.Hour)
				if got := r.state(); got != tt.state {
					t.Errorf("state = %s, want %s", got, tt.state)
				}
				if got := len(r.dialTimes()); got != tt.dials {
					t.Errorf("%d dials, want %d", got, tt.dials)
				}
				got := <-r.call(t.Context(), "a")
				if toolscript.KindOf(got.err) != tt.refusal || !strings.Contains(got.err.Error(), tt.text) {
					t.Errorf("call = %v (%s), want %s (%s)", got.err, toolscript.KindOf(got.err), tt.text, tt.refusal)
				}
			})
		})
	}
}

func TestPanicsOfTheConnectionAreFailedTries(t *testing.T) {
	tests := []struct {
		name string
		dial func() (server.Conn, error)
	}{
		{"in Dial", func() (server.Conn, error) { panic("dial") }},
		{"in ListTools", func() (server.Conn, error) {
			c := newConn()
			c.list = func(context.Context) ([]toolscript.Tool, error) { panic("list") }
			return c, nil
		}},
		{"in Lost", func() (server.Conn, error) { return panickyConn{newConn()}, nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dial := func(_ context.Context, n int) (server.Conn, error) {
				if n == 1 {
					return tt.dial()
				}
				return withTools("a"), nil
			}
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{dial: dial})
				if got := r.status(); got.State != toolscript.Backoff || !strings.HasPrefix(got.Error, "panic: ") {
					t.Errorf("status = %+v, want backoff after a panic", got)
				}
				time.Sleep(time.Second)
				if got := r.state(); got != toolscript.Ready {
					t.Errorf("state = %s, want ready", got)
				}
				for _, fact := range r.take() {
					if _, failed := fact.(mailbox.Failed); failed {
						t.Error("the panic reached the actor")
					}
				}
			})
		})
	}
}

// panickyConn panics when the connLoop waits for the end of the connection.
type panickyConn struct{ *fakeConn }

func (panickyConn) Lost() <-chan struct{} { panic("lost") }

// TestNoDialDuringADial: while a dial that ignores its context runs, neither the backoff nor
// calls, retries and restarts begin another.
func TestNoDialDuringADial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				<-release
			}
			return newConn(), nil
		}})
		time.Sleep(41 * time.Second)
		for range 5 {
			r.at.Engine.Send(r.at.PID, server.Retry{})
			r.want()
			time.Sleep(time.Minute)
		}
		r.at.Engine.Send(r.at.PID, server.Restart{Reply: make(mailbox.Reply[toolscript.ServerStatus], 1)})
		time.Sleep(10 * time.Minute)
		if dials := len(r.dialTimes()); dials != 1 || r.state() != toolscript.Backoff {
			t.Errorf("%d dials, state %s: %s", dials, r.state(), r.status().Error)
		}
		close(release)
		time.Sleep(time.Second)
		if got, dials := r.state(), len(r.dialTimes()); got != toolscript.Ready || dials != 2 {
			t.Errorf("after the end of the dial the state is %s, after %d dials", got, dials)
		}
	})
}
