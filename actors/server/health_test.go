package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
)

// TestADeafServerIsConnectedToAnew: after two questions without an answer.
func TestADeafServerIsConnectedToAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deafConn := withTools("a")
		deafConn.ping = func(ctx context.Context) error {
			<-ctx.Done()
			return toolscript.ContextError(ctx)
		}
		r := start(t, options{dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return deafConn, nil
			}
			return withTools("a"), nil
		}})
		time.Sleep(79 * time.Second) // 30 + 10 + 30 + 10 s
		if deafConn.isClosed() {
			t.Fatal("closed before the second question was over")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !deafConn.isClosed() {
			t.Error("the connection is still open")
		}
		if s := r.status(); s.State == toolscript.Backoff && !strings.Contains(s.Error, "2 health checks without an answer") {
			t.Errorf("status = %+v", s)
		}
		time.Sleep(5 * time.Second)
		if s := r.state(); s != toolscript.Ready {
			t.Errorf("state = %s, want ready again", s)
		}
	})
}

// TestHealthyServersKeepTheirConnection: also one that answers late now and then,
// one that knows no ping, and one that is busy.
func TestHealthyServersKeepTheirConnection(t *testing.T) {
	unknown := &toolscript.Error{Kind: toolscript.ToolFailed, RPCCode: -32601}
	late := func() func(context.Context) error {
		n := 0
		return func(ctx context.Context) error {
			if n++; n%2 == 0 {
				<-ctx.Done()
				return toolscript.ContextError(ctx)
			}
			return nil
		}
	}
	tests := map[string]struct {
		ping func(context.Context) error
		busy bool
	}{
		"answers":             {ping: func(context.Context) error { return nil }},
		"knows no ping":       {ping: func(context.Context) error { return unknown }},
		"late now and then":   {ping: late()},
		"deaf while it works": {ping: func(ctx context.Context) error { <-ctx.Done(); return toolscript.ContextError(ctx) }, busy: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := withTools("a")
				conn.ping = tt.ping
				conn.call = func(_ context.Context, _ string, progress func()) (json.RawMessage, error) {
					for range 40 {
						time.Sleep(30 * time.Second)
						progress()
					}
					return json.RawMessage(`{}`), nil
				}
				r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
				if tt.busy {
					call := r.call(t.Context(), "a")
					if got := <-call; got.err != nil {
						t.Errorf("the long call: %v", got.err)
					}
				} else {
					time.Sleep(20 * time.Minute)
				}
				if n := len(r.dialTimes()); n != 1 {
					t.Errorf("%d dials, want 1", n)
				}
			})
		})
	}
}
