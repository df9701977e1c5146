package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestCallTool(t *testing.T) {
	refuse := func(kind toolscript.Kind, text string) func(context.Context) (server.Conn, error) {
		return answers(nil, &toolscript.Error{Kind: kind, Err: errors.New(text)})
	}
	tests := []struct {
		name  string
		id    string
		args  string
		kind  toolscript.Kind // "" if the call succeeds
		text  string          // part of the error's text
		retry bool            // the error contains the time of the next attempt
	}{
		{name: "with arguments", id: "up__echo", args: `{"n":1}`},
		{name: "without arguments", id: "up__echo", args: ""},
		{name: "tool name with the separator", id: "a__get__one", args: `{}`},
		{
			name: "misspelt", id: "up__ecko", args: `{}`, kind: toolscript.NotFound,
			text: `up__echo?`,
		},
		{
			name: "nothing alike on a server", id: "up__altogether_else", args: `{}`, kind: toolscript.NotFound,
			text: `toolscript list-tools up`,
		},
		{
			name: "nothing alike", id: "somewhere__else_altogether", args: `{}`, kind: toolscript.NotFound,
			text: `toolscript list-servers`,
		},
		{
			name: "wrong type", id: "up__echo", args: `{"n":"one"}`, kind: toolscript.Invalid,
			text: `up__echo: /n: expected integer, got string`,
		},
		{name: "not an object", id: "up__echo", args: `[1]`, kind: toolscript.Invalid},
		{name: "not JSON", id: "up__echo", args: `{"n":`, kind: toolscript.Invalid},
		{
			name: "server in backoff", id: "down__echo", args: `{}`, kind: toolscript.Unavailable, retry: true,
			text: `2s`,
		},
		{
			name: "server still connecting", id: "slow__echo", args: `{}`, kind: toolscript.Unavailable, retry: true,
			text: `slow: `,
		},
		{
			name: "server that needs authorization", id: "locked__echo", args: `{}`, kind: toolscript.Unauthorized,
			text: `toolscript auth locked`,
		},
		{
			name: "server not trusted", id: "foreign__echo", args: `{}`, kind: toolscript.Unavailable,
			text: `toolscript trust`,
		},
		{
			name: "the longest name of those not ready", id: "down_below__echo", args: `{}`, kind: toolscript.Unauthorized,
			text: `toolscript auth down_below`,
		},
	}
	synctest.Test(t, func(t *testing.T) {
		d := dialer{
			"a":          answers(newConn("a", "echo", "get__one"), nil),
			"down":       refuse(toolscript.Unavailable, "refused"),
			"slow":       after(20*time.Second, answers(newConn("slow"), nil)),
			"locked":     refuse(toolscript.Unauthorized, "401"),
			"down_below": refuse(toolscript.Unauthorized, "401"),
		}
		o := actors.Options{Dial: d.dial, Servers: map[string]upstream.Config{
			"foreign": {Problem: errors.New("not trusted; run: toolscript trust")},
		}}
		for _, name := range []string{"up", "a", "down", "slow", "locked", "down_below"} {
			o.Servers[name] = upstream.Config{Type: upstream.Stdio}
		}
		s := startWith(t, o)
		synctest.Wait()
		for _, tt := range tests {
			result, err := s.CallTool(t.Context(), toolscript.Call{ID: tt.id, Args: json.RawMessage(tt.args)})
			if got := toolscript.KindOf(err); got != tt.kind {
				t.Errorf("%s: kind = %q (%v), want %q", tt.name, got, err, tt.kind)
				continue
			}
			if tt.kind == "" {
				if !json.Valid(result) {
					t.Errorf("%s: result = %q", tt.name, result)
				}
				continue
			}
			if !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: error = %q, want %q", tt.name, err, tt.text)
			}
			var e *toolscript.Error
			if errors.As(err, &e) && (e.RetryAfter > 0) != tt.retry {
				t.Errorf("%s: retry after %v", tt.name, e.RetryAfter)
			}
		}
	})
}

func TestInvalidArgumentsAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		conn.call = func(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
			t.Errorf("%s was called with %s", tool, args)
			return nil, nil
		}
		s := start(t, dialer{"up": answers(conn, nil)}, "up")
		settle(t, s)
		_, err := s.CallTool(t.Context(), toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":"one","m":2}`)})
		var e *toolscript.Error
		if !errors.As(err, &e) || len(e.Details) != 2 {
			t.Fatalf("error = %v, want two violations", err)
		}
		paths := []string{e.Details[0].Path, e.Details[1].Path}
		if !cmp.Equal(paths, []string{"/m", "/n"}) && !cmp.Equal(paths, []string{"", "/n"}) {
			t.Errorf("paths = %q", paths)
		}
		if e.Server != "up" || e.Tool != "echo" {
			t.Errorf("error is about %q, %q", e.Server, e.Tool)
		}
	})
}

// TestNullOfAnOptionalMemberIsNotSent checks that arguments are sent without the members
// that are null and may be left out.
func TestNullOfAnOptionalMemberIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		var sent string
		conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
			sent = string(args)
			return json.RawMessage(`{}`), nil
		}
		s := start(t, dialer{"up": answers(conn, nil)}, "up")
		settle(t, s)
		if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":null}`)}); err != nil || sent != "{}" {
			t.Errorf("sent %s, %v; want {}", sent, err)
		}
	})
}

// TestCallWithoutADeadlineHasTheServersTimeLimit checks a caller without a
// deadline, because mailbox.Ask needs one.
func TestCallWithoutADeadlineHasTheServersTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("up")
		conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		s := start(t, dialer{"up": answers(conn, nil)}, "up")
		settle(t, s)
		begin := time.Now()
		if err := echo(t, s, "up"); toolscript.KindOf(err) != toolscript.Timeout || time.Since(begin) != time.Minute {
			t.Errorf("echo = %v after %v, want a time-out after 1m", err, time.Since(begin))
		}
	})
}
