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

// lateContext is a context whose deadline is over and whose timer has not fired yet, as after a
// pause of the process.
type lateContext struct {
	context.Context
	until time.Time
}

func (c lateContext) Deadline() (time.Time, bool) { return c.until, true }

var errStale = errors.New("refused")

// TestExpiredCall: a call that has ended before it is handed to its server is not handed to it,
// neither from its caller nor from the queue.
func TestExpiredCall(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, test := range map[string]struct {
		call func() server.Call
		want func(error) bool
	}{
		"cancelled":     {func() server.Call { return server.Call{Ctx: cancelled} }, func(err error) bool { return toolscript.KindOf(err) == toolscript.Cancelled }},
		"past deadline": {func() server.Call { return server.Call{Ctx: lateContext{context.Background(), time.Now()}} }, func(err error) bool { return toolscript.KindOf(err) == toolscript.Timeout }},
		"checked": {func() server.Call {
			return server.Call{Ctx: context.Background(), Check: func() error { return errStale }}
		}, func(err error) bool { return errors.Is(err, errStale) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handed := 0
				conn := withTools("a")
				conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
					handed++
					return json.RawMessage(`{}`), nil
				}
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
				r.take()
				m := test.call()
				m.Tool = "a"
				var failed error
				_, sent := r.port.Start(&m, func(_ json.RawMessage, err error) { failed = err })
				if synctest.Wait(); !sent || !test.want(failed) || handed > 0 {
					t.Errorf("sent %t, handed to the server %d times, error %v", sent, handed, failed)
				}
			})
		})
	}
}

// TestQueuedCallIsChecked: a call that has waited for its turn is checked when it has it.
func TestQueuedCallIsChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handed []string
		conn := withTools("a", "b")
		release := make(chan struct{})
		conn.call = func(_ context.Context, tool string, _ func()) (json.RawMessage, error) {
			handed = append(handed, tool)
			<-release
			return json.RawMessage(`{}`), nil
		}
		r := start(t, options{config: upstream.Config{Concurrency: 1}, dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		r.take()
		first := r.send(t.Context(), server.Call{Tool: "a"})
		synctest.Wait()
		var stopped error
		second := r.send(t.Context(), server.Call{Tool: "b", Check: func() error { return stopped }})
		synctest.Wait()
		stopped = errStale
		close(release)
		if o := <-first; o.err != nil {
			t.Error(o.err)
		}
		if o := <-second; !errors.Is(o.err, errStale) {
			t.Errorf("the call that has waited ended with %v", o.err)
		}
		if len(handed) != 1 {
			t.Errorf("handed to the server: %v", handed)
		}
	})
}

// endingConn is a connection whose calls outlive it.
type endingConn struct{ *fakeConn }

func (endingConn) EndsCalls() {}

// TestCallsOutliveConnection: calls in flight of a connection that ends them itself go on after its end, even if the
// next dial fails.
func TestCallsOutliveConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		release := make(chan struct{})
		conn.call = func(context.Context, string, func()) (json.RawMessage, error) {
			<-release
			return json.RawMessage(`{"late":true}`), nil
		}
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n > 1 {
				return nil, errStale
			}
			return endingConn{conn}, nil
		}})
		r.take()
		over := r.call(t.Context(), "a")
		synctest.Wait()
		conn.die(errors.New("the hub is ending"))
		for len(r.dialTimes()) < 3 {
			time.Sleep(time.Second) // in the bubble
		}
		close(release)
		if o := <-over; o.err != nil || string(o.result) != `{"late":true}` {
			t.Errorf("the call in flight ended with %s, %v", o.result, o.err)
		}
	})
}
