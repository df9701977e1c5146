package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// noAnswer is a ping without an answer.
func noAnswer(ctx context.Context) error {
	<-ctx.Done()
	return toolscript.ContextError(ctx)
}

// answersFirst returns a ping function whose first n pings are answered.
func answersFirst(n int64, then func(context.Context) error) func(context.Context) error {
	var asked atomic.Int64
	return func(ctx context.Context) error {
		if asked.Add(1) <= n {
			return nil
		}
		return then(ctx)
	}
}

// first returns a dial function that returns conn first and other connections
// afterwards.
func first(conn server.Conn) func(context.Context, int) (server.Conn, error) {
	return func(_ context.Context, n int) (server.Conn, error) {
		if n == 1 {
			return conn, nil
		}
		return withTools("a"), nil
	}
}

// The server has answered a ping and then leaves two without an answer.
func TestEndedServerIsConnectedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.ping = answersFirst(1, noAnswer)
		r := start(t, options{dial: first(conn)})
		time.Sleep(109 * time.Second) // 30 s, then twice 30 + 10 s
		if conn.isClosed() {
			t.Fatal("closed before the second ping was over")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !conn.isClosed() {
			t.Error("the connection is still open")
		}
		if s := r.status(); s.State == toolscript.Backoff && !strings.Contains(s.Error, "2 health checks") {
			t.Errorf("status = %+v", s)
		}
		time.Sleep(5 * time.Second)
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("state = %s, want ready again", s)
		}
	})
}

// An unanswered ping alone proves nothing.
func TestHealthyServersKeepTheirConnection(t *testing.T) {
	broken := func(context.Context) error {
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: upstream.ErrUnreachable}
	}
	tests := map[string]struct {
		ping func(context.Context) error
		use  time.Duration // between two short calls; 0 means no calls
		busy bool          // with one call that makes progress
	}{
		"answers":                        {},
		"never answers a ping":           {ping: noAnswer},
		"answers every other ping":       {ping: func() func(context.Context) error { n := new(atomic.Int64); return everyOther(n) }()},
		"answers no ping, but calls":     {ping: answersFirst(1, noAnswer), use: 45 * time.Second},
		"answers no ping while it works": {ping: answersFirst(1, noAnswer), busy: true},
		"unreachable while it works":     {ping: broken, busy: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.ping = tt.ping
				if tt.busy {
					conn.call = func(_ context.Context, _ string, progress func()) (json.RawMessage, error) {
						for range 40 {
							time.Sleep(30 * time.Second)
							progress()
						}
						return json.RawMessage(`{}`), nil
					}
				}
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
				switch {
				case tt.busy:
					if got := <-r.call(t.Context(), "a"); got.err != nil {
						t.Errorf("the long call: %v", got.err)
					}
				case tt.use > 0:
					for range 40 {
						time.Sleep(tt.use)
						if got := <-r.call(t.Context(), "a"); got.err != nil {
							t.Errorf("a short call: %v", got.err)
						}
					}
				default:
					time.Sleep(20 * time.Minute)
				}
				if n := len(r.dialTimes()); n != 1 {
					t.Errorf("%d dials, want 1", n)
				}
			})
		})
	}
}

func everyOther(n *atomic.Int64) func(context.Context) error {
	return func(ctx context.Context) error {
		if n.Add(1)%2 == 0 {
			return noAnswer(ctx)
		}
		return nil
	}
}

// The call begins while a ping is in flight, and makes no progress for longer than
// two pings take.
func TestNoHealthCheckEndsACall(t *testing.T) {
	for name, ping := range map[string]func(context.Context) error{
		"no answer": noAnswer,
		"unreachable": func(ctx context.Context) error {
			<-ctx.Done()
			return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("gone: %w", upstream.ErrUnreachable)}
		},
		"unauthorized": func(ctx context.Context) error {
			<-ctx.Done()
			return &toolscript.Error{Kind: toolscript.Unauthorized}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.ping = answersFirst(2, ping)
				conn.call = func(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
					select {
					case <-time.After(65 * time.Second):
						return json.RawMessage(`{}`), nil
					case <-ctx.Done():
						return nil, toolscript.ContextError(ctx)
					}
				}
				r := start(t, options{config: upstream.Config{Timeout: 2 * time.Minute}, dial: first(conn)})
				time.Sleep(95 * time.Second) // the ping sent at 90 s has no answer yet
				if got := <-r.call(t.Context(), "a"); got.err != nil || got.took != 65*time.Second {
					t.Errorf("after %v: %v", got.took, got.err)
				}
				if n := len(r.dialTimes()); n != 1 {
					t.Errorf("%d dials, want 1", n)
				}
			})
		})
	}
}

// The connection ends at once, and the state depends on the error.
func TestAnIdleServerThatCannotBeReached(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want toolscript.ServerState
	}{
		"no way to it": {&toolscript.Error{Kind: toolscript.Unavailable, Err: upstream.ErrUnreachable}, toolscript.Backoff},
		"credentials":  {&toolscript.Error{Kind: toolscript.Unauthorized, Err: fmt.Errorf("HTTP 401")}, toolscript.NeedsAuth},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.ping = func(context.Context) error { return tt.err }
				r := start(t, options{dial: first(conn)})
				time.Sleep(30*time.Second + time.Millisecond)
				if s := r.state(); s != tt.want {
					t.Errorf("state = %s, want %s", s, tt.want)
				}
			})
		})
	}
}
