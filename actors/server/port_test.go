package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// direct makes a call through the Port.
func (r *rig) direct(ctx context.Context) (sent bool, err error) {
	done, sent := r.through(ctx)
	if !sent {
		return false, nil
	}
	return true, <-done
}

// inBackground makes a call through the Port without waiting for its end.
func (r *rig) inBackground(ctx context.Context) <-chan error {
	done, sent := r.through(ctx)
	if !sent {
		done <- errors.New("not sent")
	}
	synctest.Wait()
	return done
}

func (r *rig) through(ctx context.Context) (done chan error, sent bool) {
	synctest.Wait() // until the actor has handled earlier messages
	done = make(chan error, 1)
	stop, sent := r.port.Start(&server.Call{Ctx: context.Background(), Run: "direct", Tool: "a"}, func(_ json.RawMessage, err error) { done <- err })
	if sent {
		context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })
	}
	return done, sent
}

// A Port has a connection from the state ready until the connection ends.
func TestPortFollowsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := withTools("a")
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			time.Sleep(time.Second)
			if n == 1 {
				return first, nil
			}
			return withTools("a"), nil
		}})
		if sent, _ := r.direct(t.Context()); sent {
			t.Error("a call was sent before there was a connection")
		}
		time.Sleep(2 * time.Second)
		if sent, err := r.direct(t.Context()); !sent || err != nil {
			t.Errorf("sent = %v, %v", sent, err)
		}
		first.die(errRefused)
		if sent, _ := r.direct(t.Context()); sent {
			t.Error("a call was sent after the end of the connection")
		}
		time.Sleep(5 * time.Second)
		if sent, err := r.direct(t.Context()); !sent || err != nil {
			t.Errorf("on the next connection: sent = %v, %v", sent, err)
		}
	})
}

// A free slot belongs to the calls that wait in the actor's queue. A call of the Port waits there, too.
func TestPortLeavesPlacesToCallsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: calling(
			func(context.Context, string, func()) (json.RawMessage, error) {
				<-held
				return json.RawMessage(`{}`), nil
			})})
		first := r.inBackground(t.Context())
		if n := r.status().InFlight; n != 1 {
			t.Errorf("%d calls in flight, want 1", n)
		}
		second := r.callOf(t.Context(), "other", "a")
		third := r.inBackground(t.Context())
		gone, cancel := context.WithCancel(t.Context())
		fourth := r.inBackground(gone)
		if n := r.status().Queued; n != 3 {
			t.Errorf("%d calls wait, want 3", n)
		}
		cancel()
		if err := <-fourth; toolscript.KindOf(err) != toolscript.Cancelled || toolscript.SentOf(err) != toolscript.SentNo {
			t.Errorf("the call whose caller gives up: %v, sent %q", err, toolscript.SentOf(err))
		}
		held <- struct{}{}
		if err := <-first; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if n, ended := r.status().Queued, len(second); n != 1 || ended > 0 {
			t.Errorf("%d calls wait, want 1: the third waits for the second", n)
		}
		held <- struct{}{}
		if got := <-second; got.err != nil {
			t.Error(got.err)
		}
		held <- struct{}{}
		if err := <-third; err != nil {
			t.Error(err)
		}
		close(held)
		if sent, err := r.direct(t.Context()); !sent || err != nil {
			t.Errorf("with free places: sent = %v, %v", sent, err)
		}
	})
}

// TestPortDoesNotOvertake: a call of the Port at the moment in which a slot becomes free waits behind the queue.
func TestPortDoesNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		var order []string
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: calling(
			func(_ context.Context, tool string, _ func()) (json.RawMessage, error) {
				order = append(order, tool)
				<-held
				return json.RawMessage(`{}`), nil
			})})
		done := make(chan error, 1)
		direct := func(tool string, then func(json.RawMessage, error)) {
			if _, sent := r.port.Start(&server.Call{Ctx: t.Context(), Tool: tool}, then); !sent {
				t.Errorf("%s was not sent", tool)
			}
		}
		direct("first", func(json.RawMessage, error) { // the actor does not know yet that the slot is free
			direct("third", func(_ json.RawMessage, err error) { done <- err })
		})
		second := r.call(t.Context(), "second")
		synctest.Wait()
		close(held)
		if err := errors.Join((<-second).err, <-done); err != nil {
			t.Error(err)
		}
		if got := strings.Join(order, " "); got != "first second third" {
			t.Errorf("order %s", got)
		}
	})
}

// TestPortCallFails covers the faults during a call in flight.
func TestPortCallFails(t *testing.T) {
	tests := []struct {
		name  string
		fault func(r *rig, conn *fakeConn, cancel context.CancelFunc)
		kind  toolscript.Kind
		text  string
	}{
		{"the connection ends", func(_ *rig, conn *fakeConn, _ context.CancelFunc) { conn.die(errRefused) },
			toolscript.Unavailable, "carried out is not known"},
		{"the actor ends", func(r *rig, _ *fakeConn, _ context.CancelFunc) { <-r.at.Engine.Poison(r.at.PID).Done() },
			toolscript.Unavailable, "carried out is not known"},
		{"the time is over", func(*rig, *fakeConn, context.CancelFunc) { time.Sleep(time.Hour) },
			toolscript.Timeout, "no answer and no progress"},
		{"the caller gives up", func(_ *rig, _ *fakeConn, cancel context.CancelFunc) { cancel() },
			toolscript.Cancelled, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.call = never
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := r.inBackground(ctx)
				tt.fault(r, conn, cancel)
				err := <-done
				var e *toolscript.Error
				if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("error = %v, want %s with %q", err, tt.kind, tt.text)
				}
			})
		})
	}
}

// A panic of the connection ends the call, and the slot is released.
func TestPortSurvivesAPanic(t *testing.T) {
	for _, inStart := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			conn := withTools("a")
			conn.panics = inStart
			conn.call = func(context.Context, string, func()) (json.RawMessage, error) { panic("planted") }
			r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
			if sent, err := r.direct(t.Context()); !sent || err == nil {
				t.Errorf("sent = %v, %v; want an error", sent, err)
			}
			if n := r.status().InFlight; n != 0 {
				t.Errorf("%d calls in flight, want 0", n)
			}
		})
	}
}

// Elicitations and health checks must include the calls made through a Port.
func TestPortCallsCountForHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		var pings atomic.Int32
		conn.ping = func(context.Context) error { pings.Add(1); return nil }
		conn.call = never
		r := start(t, options{config: upstream.Config{Timeout: time.Hour}, dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		ctx, cancel := context.WithCancel(t.Context())
		done := r.inBackground(ctx)
		time.Sleep(5 * time.Minute)
		if n := pings.Load(); n > 0 {
			t.Errorf("%d pings were sent during a call", n)
		}
		cancel()
		<-done
		time.Sleep(time.Minute)
		if pings.Load() == 0 {
			t.Error("no ping was sent after the call")
		}
	})
}

// unsentPort starts a server whose first connection cannot send calls, and begins a call through its Port.
func unsentPort(t *testing.T, retries int) (r *rig, stop func(error), done chan error) {
	t.Helper()
	conn := withTools("a")
	conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("%w; the call was not sent", upstream.ErrUnreachable)}
	}
	r = start(t, options{dial: down(conn, retries)})
	synctest.Wait()
	done = make(chan error, 2)
	stop, sent := r.port.Start(&server.Call{Ctx: t.Context(), Wait: time.Minute, Tool: "a"}, func(_ json.RawMessage, err error) { done <- err })
	if !sent {
		t.Fatal("the call did not begin")
	}
	synctest.Wait()
	return r, stop, done
}

// TestUnsentCallOfAPort: a call that did not reach the server is made by the actor on the next
// connection. Its caller can cancel it, and the end of the actor ends it.
func TestUnsentCallOfAPort(t *testing.T) {
	t.Run("next connection", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, _, done := unsentPort(t, 1)
			if err := <-done; err != nil {
				t.Errorf("the call: %v", err)
			}
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, stop, done := unsentPort(t, 100)
			begin := time.Now()
			stop(errors.New("no longer needed"))
			err := <-done
			if toolscript.KindOf(err) != toolscript.Cancelled || toolscript.SentOf(err) != toolscript.SentNo || time.Since(begin) > 0 {
				t.Errorf("%v, sent %q, after %v", err, toolscript.SentOf(err), time.Since(begin))
			}
			synctest.Wait()
			if s := r.status(); s.Queued != 0 || len(done) != 0 {
				t.Errorf("%d calls wait, %d further answers", s.Queued, len(done))
			}
		})
	})
	t.Run("end of the actor", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, _, done := unsentPort(t, 100)
			mailbox.Send(r.at.Engine, r.at.PID, server.Call{Ctx: nil}) // causes a panic: real calls have a context
			if err := <-done; toolscript.KindOf(err) != toolscript.Unavailable || toolscript.SentOf(err) != toolscript.SentNo {
				t.Errorf("%v, sent %q", err, toolscript.SentOf(err))
			}
		})
	})
}

// TestParkedCallsEndWithTheActor: the actor panics before it has received the call of a Port that waits
// for a slot.
func TestParkedCallsEndWithTheActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = never
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		first := r.inBackground(t.Context())
		mailbox.Send(r.at.Engine, r.at.PID, server.Call{Ctx: nil}) // causes a panic: real calls have a context
		done := make(chan error, 2)
		_, ok := r.port.Start(&server.Call{Ctx: t.Context(), Tool: "a"}, func(_ json.RawMessage, err error) { done <- err })
		if err := <-first; toolscript.SentOf(err) != toolscript.SentUnknown {
			t.Errorf("the call in flight: %v", err)
		}
		if !ok {
			return // the actor has ended before
		}
		if err := <-done; toolscript.KindOf(err) != toolscript.Unavailable || toolscript.SentOf(err) != toolscript.SentNo {
			t.Errorf("the call that waits: %v, sent %q", err, toolscript.SentOf(err))
		}
	})
}

// TestPortRefusesHeldTools: a tool that a review holds is not called through the Port.
func TestPortRefusesHeldTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held atomic.Bool
		r := start(t, options{
			review: func(string, []toolscript.Tool) (v server.Review) {
				v.All = held.Load()
				return v
			},
			dial: func(context.Context, int) (server.Conn, error) { return withTools("a"), nil },
		})
		if sent, err := r.direct(t.Context()); !sent || err != nil {
			t.Errorf("sent = %v, %v", sent, err)
		}
		held.Store(true)
		if _, err := mailbox.Await(t.Context(), func(reply mailbox.Reply[int]) { mailbox.Send(r.at.Engine, r.at.PID, server.Again{Reply: reply}) }); err != nil {
			t.Fatal(err)
		}
		if sent, err := r.direct(t.Context()); sent {
			t.Errorf("a tool that is held was called: %v", err)
		}
	})
}
