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

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// calling returns a dial function for a server that handles calls with call.
func calling(call func(ctx context.Context, tool string, progress func()) (json.RawMessage, error)) func(context.Context, int) (server.Conn, error) {
	return func(context.Context, int) (server.Conn, error) {
		c := withTools("a")
		c.call = call
		return c, nil
	}
}

// never is a call that ends with its context only.
func never(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func TestCallPassesTheResultOrTheErrorOn(t *testing.T) {
	refused := &toolscript.Error{Kind: toolscript.ToolFailed, Server: "fake", Tool: "bad", RPCCode: -32602, Err: errors.New("bad params")}
	dial := calling(func(_ context.Context, tool string, _ func()) (json.RawMessage, error) {
		if tool == "bad" {
			return nil, refused
		}
		return json.RawMessage(`{"content":[]}`), nil
	})
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: dial})
		if got := <-r.call(t.Context(), "good"); got.err != nil || string(got.result) != `{"content":[]}` {
			t.Errorf("good = %s, %v", got.result, got.err)
		}
		if got := <-r.call(t.Context(), "bad"); !errors.Is(got.err, refused) {
			t.Errorf("bad = %v, want the connection's own error", got.err)
		}
	})
}

func TestCallTimeout(t *testing.T) {
	tests := []struct {
		name     string
		config   upstream.Config
		call     func(ctx context.Context, tool string, progress func()) (json.RawMessage, error)
		deadline time.Duration // deadline of the caller
		want     time.Duration
		kind     toolscript.Kind
	}{
		{"the default", upstream.Config{}, never, time.Hour, time.Minute, toolscript.Timeout},
		{"the configured time", upstream.Config{Timeout: 5 * time.Second}, never, time.Hour, 5 * time.Second, toolscript.Timeout},
		{"the caller's time, if less", upstream.Config{}, never, 3 * time.Second, 3 * time.Second, toolscript.Timeout},
		{"restarted by progress", upstream.Config{}, progressing(4), time.Hour, 4*50*time.Second + time.Minute, toolscript.Timeout},
		{"answered in the end, thanks to progress", upstream.Config{}, answeringAfter(5), time.Hour, 5 * 50 * time.Second, ""},
		{"progress does not pass the caller's time", upstream.Config{}, progressing(5), 2 * time.Minute, 2 * time.Minute, toolscript.Timeout},
		{"a connection that keeps to no context", upstream.Config{}, ignoringContext, time.Hour, time.Minute, toolscript.Timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options{config: tt.config, dial: calling(tt.call)})
				ctx, cancel := context.WithTimeout(t.Context(), tt.deadline)
				defer cancel()
				got := <-r.call(ctx, "a")
				if toolscript.KindOf(got.err) != tt.kind || got.took != tt.want {
					t.Errorf("answered after %v with %q (%v), want %v, %q", got.took, toolscript.KindOf(got.err), got.err, tt.want, tt.kind)
				}
				time.Sleep(5 * time.Minute) // until the connection that ignores its context has returned, too
				if n := r.status().InFlight; n != 0 {
					t.Errorf("%d calls in flight, want 0", n)
				}
			})
		})
	}
}

// progressing sends n progress notifications, one every 50 s, and then nothing more.
func progressing(n int) func(context.Context, string, func()) (json.RawMessage, error) {
	return func(ctx context.Context, tool string, progress func()) (json.RawMessage, error) {
		for range n {
			time.Sleep(50 * time.Second)
			progress()
		}
		return never(ctx, tool, progress)
	}
}

func answeringAfter(n int) func(context.Context, string, func()) (json.RawMessage, error) {
	return func(_ context.Context, _ string, progress func()) (json.RawMessage, error) {
		for range n {
			time.Sleep(50 * time.Second)
			progress()
		}
		return json.RawMessage(`{}`), nil
	}
}

func ignoringContext(context.Context, string, func()) (json.RawMessage, error) {
	time.Sleep(3 * time.Minute)
	return json.RawMessage(`{}`), nil
}

// TestLossFailsCallsInFlightAtOnce: the loss of a connection ends all its calls, even those that never return from
// the connection.
func TestLossFailsCallsInFlightAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = ignoringContext
		r := start(t, options{config: upstream.Config{Concurrency: 100}, dial: func(_ context.Context, n int) (server.Conn, error) {
			if n == 1 {
				return conn, nil
			}
			return nil, errRefused
		}})
		var calls []<-chan outcome
		for range 100 {
			calls = append(calls, r.call(t.Context(), "a"))
		}
		synctest.Wait()
		if n := r.status().InFlight; n != 100 {
			t.Fatalf("%d calls in flight, want 100", n)
		}
		conn.die(errors.New("exit status 7"))
		for _, done := range calls {
			got := <-done
			var e *toolscript.Error
			if !errors.As(got.err, &e) || e.Kind != toolscript.Unavailable || e.Server != "fake" || e.Tool != "a" {
				t.Fatalf("call = %v, want unavailable, of fake's a", got.err)
			}
			if e.RetryAfter <= 0 || e.RetryAfter > time.Second || !strings.Contains(e.Error(), "exit status 7") {
				t.Errorf("call = %v, retry after %v, want the reason and the time of the next try", e, e.RetryAfter)
			}
			if got.took != 0 {
				t.Errorf("answered after %v, want at once", got.took)
			}
		}
		got := <-r.call(t.Context(), "a")
		if toolscript.KindOf(got.err) != toolscript.Unavailable || !strings.Contains(got.err.Error(), "not connected (exit status 7: last words); try again in") {
			t.Errorf("call while down = %v", got.err)
		}
	})
}

func TestCallsWhileConnectingAreRefused(t *testing.T) {
	dial := func(ctx context.Context, _ int) (server.Conn, error) {
		<-ctx.Done()
		return nil, errRefused
	}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options{dial: dial})
		got := <-r.call(t.Context(), "a")
		var e *toolscript.Error
		if !errors.As(got.err, &e) || e.Kind != toolscript.Unavailable || e.RetryAfter != time.Second {
			t.Errorf("call = %v, want unavailable for a second", got.err)
		}
	})
}

func TestPanicInACallIsItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.panics = true
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		got := <-r.call(t.Context(), "a")
		var p *rescue.Error
		if toolscript.KindOf(got.err) != toolscript.Internal || !errors.As(got.err, &p) || got.err.Error() != "fake: panic: planted" {
			t.Errorf("call = %v, want the panic", got.err)
		}
		synctest.Wait()
		if status := r.status(); status.State != toolscript.Ready || status.InFlight != 0 {
			t.Errorf("status = %+v, want ready with nothing in flight", status)
		}
	})
}

// The caller of the message and the calls in flight fail at once, and the connection
// is closed.
func TestPanicOfTheActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("a")
		conn.call = never
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		call := r.call(t.Context(), "a")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		begin := time.Now()
		_, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[json.RawMessage]) any {
			return server.Call{Ctx: nil, Reply: reply.Send} // no real call lacks a context
		})
		if toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("the fatal call = %v, want unavailable", err)
		}
		if got := <-call; toolscript.KindOf(got.err) != toolscript.Unavailable {
			t.Errorf("the call in flight = %v, want unavailable", got.err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("answered after %v, want at once", took)
		}
		<-r.work.Idle()
		if !conn.isClosed() {
			t.Error("the connection is open")
		}
		var failed mailbox.Failed
		for _, fact := range r.take() {
			if m, ok := fact.(mailbox.Failed); ok {
				failed = m
			}
		}
		if text := fmt.Sprint(failed.Reason); !strings.Contains(text, "nil pointer") || len(failed.Stack) == 0 {
			t.Errorf("the parent received %q, want the panic with its stack", text)
		}
	})
}
