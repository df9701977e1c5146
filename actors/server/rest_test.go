package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

var resting = upstream.Config{Type: upstream.Stdio, Command: "server", Idle: 10 * time.Minute}

// conns are the connections of a server that starts in startTime.
type conns struct {
	mu  sync.Mutex
	all []*fakeConn
}

const startTime = 2 * time.Second

func (c *conns) dial(context.Context, int) (server.Conn, error) {
	time.Sleep(startTime)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, withTools("a"))
	return c.all[len(c.all)-1], nil
}

// open returns how many connections are not closed.
func (c *conns) open() (n int) {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.all {
		if !conn.isClosed() {
			n++
		}
	}
	return n
}

// TestIdleServerRests: a server rests after Idle, even if it was never called, and the next call waits for its
// start.
func TestIdleServerRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(conns)
		r := start(t, options{config: resting, dial: c.dial})
		time.Sleep(startTime + 10*time.Minute - time.Second)
		if diff := cmp.Diff([]string{"connecting", "tools: a", "ready"}, describe(r.take())); diff != "" || c.open() != 1 {
			t.Errorf("before it rests (-want +got), %d open connections:\n%s", c.open(), diff)
		}
		time.Sleep(time.Second)
		if diff := cmp.Diff([]string{"resting"}, describe(r.take())); diff != "" || c.open() != 0 {
			t.Errorf("when it rests (-want +got), %d open connections:\n%s", c.open(), diff)
		}
		if n := r.rests.Load(); n != 1 {
			t.Errorf("Rested was called %d times, want once", n)
		}
		time.Sleep(24 * time.Hour) // there are no pings and no attempts
		begin := r.call(t.Context(), "a")
		synctest.Wait()
		if s := r.status(); s.State != toolscript.Starting || s.Tools != 1 || s.Queued != 1 || s.PID != 0 {
			t.Errorf("at the start: %+v", s)
		}
		if got := <-begin; got.err != nil || got.took != startTime {
			t.Errorf("the call that starts it = %v after %v, want nothing beyond the start", got.err, got.took)
		}
		if diff := cmp.Diff([]string{"starting", "tools: a", "ready"}, describe(r.take())); diff != "" {
			t.Errorf("after the call (-want +got):\n%s", diff)
		}
		if s := r.status(); s.Restarts != 0 {
			t.Errorf("%d restarts, want none: a rest is no failure", s.Restarts)
		}
	})
}

// Calls over the Port count, and calls in flight keep the server up. The time begins when
// the last one ends.
func TestCallsKeepAServerFromResting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
			time.Sleep(25 * time.Minute)
			return json.RawMessage(`{}`), nil
		}
		config := resting
		config.Timeout = time.Hour
		r := start(t, options{config: config, dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		time.Sleep(9 * time.Minute)
		done := make(chan error, 1)
		if _, sent := r.port.Start(&server.Call{Ctx: t.Context(), Tool: "a", Args: json.RawMessage(`{}`)}, func(_ json.RawMessage, err error) { done <- err }); !sent {
			t.Fatal("not sent")
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := time.Since(r.begin); got != 34*time.Minute {
			t.Fatalf("the call ended after %v", got)
		}
		time.Sleep(10*time.Minute - time.Second)
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("%s before the end of the idle time, want ready", s)
		}
		time.Sleep(2 * time.Second)
		if s := r.state(); s != toolscript.Resting {
			t.Errorf("%s after the idle time, want resting", s)
		}
		if _, sent := r.port.Start(&server.Call{Ctx: t.Context(), Tool: "a", Args: json.RawMessage(`{}`)}, func(json.RawMessage, error) {}); sent {
			t.Error("the Port has sent a call to a server at rest")
		}
	})
}

// A server whose tools are known rests from its start, and a request for resources starts
// it as a call does.
func TestServerRestsFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{config: resting, known: tools("a"), dial: func(context.Context, int) (server.Conn, error) {
			conn := withTools("a")
			conn.fetch = func(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
				return json.RawMessage(`{"entries":[]}`), nil
			}
			return conn, nil
		}})
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]string{"tools: a", "resting"}, describe(r.take())); diff != "" || len(r.dialTimes()) > 0 {
			t.Errorf("at the start (-want +got), dials at %v:\n%s", r.dialTimes(), diff)
		}
		if got := <-r.send(t.Context(), server.Call{Fetch: &toolscript.FetchRequest{ID: toolscript.FetchIDs()[0]}}); got.err != nil {
			t.Errorf("fetch: %v", got.err)
		}
		if diff := cmp.Diff([]string{"starting", "tools: a", "ready"}, describe(r.take())); diff != "" {
			t.Errorf("after the request (-want +got):\n%s", diff)
		}
	})
}

// A call that cannot start the server gets the reason, and a later attempt is made.
func TestServerDoesNotStartAfterARest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{config: resting, dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 2 {
				return nil, errRefused
			}
			return withTools("a"), nil
		}})
		time.Sleep(10 * time.Minute)
		if s := r.state(); s != toolscript.Resting {
			t.Fatalf("%s, want resting", s)
		}
		waits := r.waitingCall(t.Context(), 10*time.Second)
		if got := <-r.call(t.Context(), "a"); toolscript.KindOf(got.err) != toolscript.Unavailable || !strings.Contains(got.err.Error(), "refused") {
			t.Errorf("a call that does not wait = %v, want the reason", got.err)
		}
		if got := <-waits; got.err != nil {
			t.Errorf("a call that waits = %v", got.err)
		}
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("%s, want ready", s)
		}
	})
}

// A server starts again only when its previous process has ended.
func TestServerStartsAfterTheEndOfItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first *fakeConn
		r := start(t, options{config: resting, dial: func(_ context.Context, n int) (server.Conn, error) {
			conn := withTools("a")
			if n == 1 {
				first, conn.ending = conn, 3*time.Second
			} else if !first.isClosed() {
				return nil, errors.New("the previous process runs")
			}
			return conn, nil
		}})
		time.Sleep(10*time.Minute + time.Second)
		if got := <-r.call(t.Context(), "a"); got.err != nil || got.took != 2*time.Second {
			t.Errorf("call = %v after %v, want one that waits for the end of the process", got.err, got.took)
		}
	})
}

// After a start with other tools, only calls of tools with the same definition are sent.
func TestServerHasOtherToolsAfterARest(t *testing.T) {
	before := []toolscript.Tool{
		{Server: "fake", Name: "same", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: "fake", Name: "other", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: "fake", Name: "gone"},
	}
	after := []toolscript.Tool{
		{Server: "fake", Name: "same", InputSchema: json.RawMessage(`{"type": "object"}`)}, // a stored list has no white space
		{Server: "fake", Name: "other", InputSchema: json.RawMessage(`{"type":"object","required":["x"]}`)},
	}
	for _, tt := range []struct {
		name, tool string
		checked    *toolscript.Tool
		changed    bool
	}{
		{"same", "same", &before[0], false}, {"changed", "other", &before[1], true}, {"gone", "gone", &before[2], true},
		{"not checked", "same", nil, false}, {"changed and not checked", "other", nil, true}, {"checked against the new one", "other", &after[1], false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var called atomic.Int64
				r := start(t, options{config: resting, known: before, dial: func(context.Context, int) (server.Conn, error) {
					conn := newConn()
					conn.list = func(context.Context) ([]toolscript.Tool, error) { return after, nil }
					conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
						called.Add(1)
						return json.RawMessage(`{}`), nil
					}
					return conn, nil
				}})
				got := <-r.send(t.Context(), server.Call{Tool: tt.tool, Checked: tt.checked})
				if errors.Is(got.err, server.ErrChanged) != tt.changed || !tt.changed && got.err != nil || tt.changed == (called.Load() > 0) {
					t.Errorf("call = %v, sent %d times", got.err, called.Load())
				}
				if diff := cmp.Diff([]string{"tools: same other gone", "resting", "starting", "tools: same other", "ready"}, describe(r.take())); diff != "" {
					t.Errorf("facts (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// rest waits until the server rests.
func (r *rig) rest() {
	r.t.Helper()
	time.Sleep(time.Hour)
	if s := r.state(); s != toolscript.Resting {
		r.t.Fatalf("%s, want resting", s)
	}
}

// Restart starts a server at rest, and a configuration without Idle does too.
func TestRestOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(conns)
		r := start(t, options{config: resting, known: tools("a"), dial: c.dial})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		status, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[toolscript.ServerStatus]) any { return server.Restart{Reply: reply} })
		if err != nil || status.State != toolscript.Ready {
			t.Errorf("restart = %s, %v, want ready", status.State, err)
		}
		awake := resting
		awake.Idle = 0
		r.at.Engine.Send(r.at.PID, server.Adjust{Config: awake})
		time.Sleep(time.Hour)
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("%s without Idle, want ready", s)
		}
		r.at.Engine.Send(r.at.PID, server.Adjust{Config: resting})
		synctest.Wait()
		r.rest()
		r.at.Engine.Send(r.at.PID, server.Adjust{Config: awake})
		time.Sleep(startTime)
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("%s when Idle was removed at rest, want ready", s)
		}
		r.at.Engine.Send(r.at.PID, server.Retry{})
		if n := c.open(); n != 1 || len(r.dialTimes()) != 2 {
			t.Errorf("%d open connections after %d dials, want one after two", n, len(r.dialTimes()))
		}
	})
}
