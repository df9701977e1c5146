package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// hinted is a connection whose only tool, echo, has annotations.
type hinted struct {
	*fakeConn
	hints toolscript.Annotations
}

func (h hinted) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	tools, err := h.fakeConn.ListTools(ctx)
	for i := range tools {
		tools[i].Annotations = h.hints
	}
	return tools, err
}

// TestErrorsSayWhetherTheCallWasSent covers the ways in which a call fails. Only a call that
// was not sent, and one of a tool without a second effect, has a time to try again.
func TestErrorsSayWhetherTheCallWasSent(t *testing.T) {
	yes := true
	gone := func(conn *fakeConn) {
		conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			conn.die()
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	fails := func(e toolscript.Error) func(*fakeConn) {
		return func(conn *fakeConn) {
			conn.call = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, &e }
		}
	}
	silent := func(conn *fakeConn) {
		conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	unavailable := toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: time.Second, Err: errors.New("no luck")}
	unreachable := unavailable
	unreachable.Err = fmt.Errorf("%w: no route", upstream.ErrUnreachable)
	for _, tt := range []struct {
		name   string
		call   toolscript.Call
		hints  toolscript.Annotations
		change func(*fakeConn)
		cancel time.Duration // the caller cancels the call after this time; 0: never
		kind   toolscript.Kind
		sent   toolscript.Sent
		retry  bool
	}{
		{name: "no such tool", call: toolscript.Call{ID: "up__no"}, kind: toolscript.NotFound, sent: toolscript.SentNo},
		{name: "wrong arguments", call: toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":"x"}`)}, kind: toolscript.Invalid, sent: toolscript.SentNo},
		{name: "not connected", call: toolscript.Call{ID: "down__echo"}, kind: toolscript.Unavailable, sent: toolscript.SentNo, retry: true},
		{name: "the connection ends", change: gone, kind: toolscript.Unavailable, sent: toolscript.SentUnknown},
		{name: "the connection of a tool that only reads ends", change: gone, hints: toolscript.Annotations{ReadOnly: &yes}, kind: toolscript.Unavailable, sent: toolscript.SentUnknown, retry: true},
		{name: "the connection of an idempotent tool ends", change: gone, hints: toolscript.Annotations{Idempotent: &yes}, kind: toolscript.Unavailable, sent: toolscript.SentUnknown, retry: true},
		{name: "no answer", change: silent, kind: toolscript.Timeout, sent: toolscript.SentUnknown},
		{name: "the caller cancels it", change: silent, cancel: time.Second, kind: toolscript.Cancelled, sent: toolscript.SentUnknown},
		{name: "an error of the connection", change: fails(unavailable), kind: toolscript.Unavailable, sent: toolscript.SentUnknown},
		{name: "the server cannot be reached", change: fails(unreachable), kind: toolscript.Unavailable, sent: toolscript.SentNo, retry: true},
		{name: "the server refuses it", change: fails(toolscript.Error{Kind: toolscript.ToolFailed, Err: errors.New("no such row")}), kind: toolscript.ToolFailed, sent: toolscript.SentYes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)})
				conn := newConn("up")
				if tt.change != nil {
					tt.change(conn)
				}
				o := actors.Options{Audit: log, Servers: map[string]upstream.Config{"up": {Type: upstream.HTTP, Timeout: 5 * time.Second}, "down": {Type: upstream.HTTP}}}
				o.Dial = dialer{
					"up":   answers(hinted{conn, tt.hints}, nil),
					"down": answers(nil, errors.New("refused")),
				}.dial
				s := startWith(t, o)
				synctest.Wait()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				call := tt.call
				if call.ID == "" {
					call.ID = "up__echo"
				}
				_, err := s.CallTool(ctx, call)
				var e *toolscript.Error
				if !errors.As(err, &e) || e.Kind != tt.kind || e.Sent != tt.sent || (e.RetryAfter > 0) != tt.retry {
					t.Errorf("%#v (%v), want %s, sent %s, a time to try again: %t", e, err, tt.kind, tt.sent, tt.retry)
				}
				time.Sleep(time.Minute) // of the bubble
				synctest.Wait()
				if line := lastLine(t, dir); line.Outcome != string(tt.kind) || line.Sent != tt.sent {
					t.Errorf("the audit has %s, sent %q", line.Outcome, line.Sent)
				}
			})
		})
	}
}

// lastLine is the last line of a call in an audit.
func lastLine(t *testing.T, dir string) (last audit.Line) {
	t.Helper()
	if err := audit.ChainLines(dir, func(l audit.ChainLine) {
		if l.Type == audit.TypeCall {
			last = audit.Line{}
			if err := json.Unmarshal(l.Text, &last); err != nil {
				t.Error(err)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return last
}

// TestQueuedCallIsNotSent: the time of a caller ends while its call waits for its turn.
func TestQueuedCallIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"up": {Type: upstream.HTTP, Concurrency: 1}}, Dial: dialer{"up": answers(server.Conn(conn), nil)}.dial,
		})
		synctest.Wait()
		first, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _, _ = s.CallTool(first, toolscript.Call{ID: "up__echo"}) }()
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_, err := s.CallTool(ctx, toolscript.Call{ID: "up__echo"})
		var e *toolscript.Error
		if !errors.As(err, &e) || e.Kind != toolscript.Timeout || e.Sent != toolscript.SentNo {
			t.Errorf("%#v (%v), want timeout of a call that was not sent", e, err)
		}
	})
}
