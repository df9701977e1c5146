package actors_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestCallLog checks that a call of a script has one log line. The line of a call
// over HTTP has the level debug, because the request has its own line.
func TestCallLog(t *testing.T) {
	tests := []struct {
		name string
		call toolscript.Call
		want map[string]any
	}{
		{
			"of a script", toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":1}`), Run: "r1"},
			map[string]any{"level": "INFO", "msg": "tool call", "tool": "up__echo", "run": "r1", "outcome": "ok"},
		},
		{
			"of a request", toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":1}`), RequestID: "q1"},
			map[string]any{"level": "DEBUG", "msg": "tool call", "tool": "up__echo", "request": "q1", "outcome": "ok"},
		},
		{
			"of a script by a request", toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":1}`), Run: "r1", RequestID: "q1"},
			map[string]any{"level": "DEBUG", "msg": "tool call", "tool": "up__echo", "run": "r1", "request": "q1", "outcome": "ok"},
		},
		{
			"that is refused", toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{"n":"secret"}`), Run: "r1"},
			map[string]any{"level": "INFO", "msg": "tool call", "server": "up", "tool": "up__echo", "run": "r1", "outcome": "invalid", "sent": "no"},
		},
		{
			"of a server that is not there", toolscript.Call{ID: "down__echo", Run: "r1"},
			map[string]any{"level": "INFO", "msg": "tool call", "server": "down", "tool": "down__echo", "run": "r1", "outcome": "unavailable", "sent": "no", "error": "not started: invalid"},
		},
		{
			"of what is no tool id", toolscript.Call{ID: "secret", Run: "r1"},
			map[string]any{"level": "INFO", "msg": "tool call", "run": "r1", "outcome": "not_found", "sent": "no"},
		},
	}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := startWith(t, actors.Options{
			Dial: dialer{}.dial,
			Servers: map[string]upstream.Config{
				"up":   {Type: upstream.Stdio},
				"down": {Problem: &toolscript.Error{Kind: toolscript.Invalid}},
			},
			Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		settle(t, s)
		synctest.Wait()
		for _, tt := range tests {
			log.Reset()
			_, _ = actors.CallAny(s, t.Context(), tt.call) // the log contains its error
			var got map[string]any
			if err := json.Unmarshal(log.Bytes(), &got); err != nil {
				t.Errorf("a call %s: not one line: %s", tt.name, log.String())
				continue
			}
			if _, ok := got["duration"].(float64); !ok {
				t.Errorf("a call %s: duration = %v", tt.name, got["duration"])
			}
			delete(got, "duration")
			delete(got, "time")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("a call %s (-want +got):\n%s", tt.name, diff)
			}
			if strings.Contains(log.String(), "secret") {
				t.Errorf("a call %s: the line holds what it must not: %s", tt.name, log.String())
			}
		}
	})
}

// TestAFailedCallIsLoggedWithItsReason checks that the log line contains the server's
// message without secrets, the call and the run.
func TestAFailedCallIsLoggedWithItsReason(t *testing.T) {
	long := strings.Repeat("long ", 100)
	tests := map[string]struct {
		result string
		err    error
		want   []string
	}{
		"an error of the tool":   {result: `{"isError": true, "content": [{"type": "text", "text": "no such issue: hunter2hunter2"}]}`, want: []string{"tool_failed", "no such issue: ${KEY}"}},
		"an error of JSON-RPC":   {err: &toolscript.Error{Kind: toolscript.ToolFailed, Server: "up", Err: errors.New("Authorization: Bearer abcdefghijkl")}, want: []string{"tool_failed", "Authorization: Bearer (redacted)"}},
		"a variable's value":     {err: &toolscript.Error{Kind: toolscript.ToolFailed, Err: errors.New("user marie.curie is locked")}, want: []string{"user ${USER_NAME} is locked"}},
		"another server's":       {err: &toolscript.Error{Kind: toolscript.ToolFailed, Err: errors.New("bad key other-servers-key")}, want: []string{"bad key ${OTHER}"}},
		"a key of the settings":  {err: &toolscript.Error{Kind: toolscript.ToolFailed, Err: errors.New("refused 7f31c0de-provider")}, want: []string{"refused (key of provider p)"}},
		"a long text":            {err: &toolscript.Error{Kind: toolscript.ToolFailed, Err: errors.New(long)}, want: []string{long[:299] + "…"}},
		"a connection that ends": {err: &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("exit status 7")}, want: []string{"unavailable", "exit status 7"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				conn := newConn("up")
				conn.call = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(tt.result), tt.err
				}
				s := startWith(t, actors.Options{
					Dial: dialer{"up": answers(conn, nil)}.dial,
					Servers: map[string]upstream.Config{"up": {
						Type: upstream.Stdio, Env: map[string]string{"KEY": "hunter2hunter2"}, Secrets: map[string]string{"${USER_NAME}": "marie.curie"},
					}, "other": {Type: upstream.Stdio, Disabled: true, Secrets: map[string]string{"${OTHER}": "other-servers-key"}}},
					Logger:  slog.New(slog.NewJSONHandler(&log, nil)),
					Secrets: func() map[string]string { return map[string]string{"(key of provider p)": "7f31c0de-provider"} },
				})
				settle(t, s)
				synctest.Wait()
				log.Reset()
				_, _ = actors.CallAny(s, t.Context(), toolscript.Call{ID: "up__echo", Run: "r1", CallID: "c7", RequestID: "q1", Trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
				for _, want := range append(tt.want, `"server":"up"`, `"tool":"up__echo"`, `"run":"r1"`, `"call":"c7"`, `"trace":"0af7651916cd43dd8448eb211c80319c"`, `"level":"INFO"`) {
					if !strings.Contains(log.String(), want) {
						t.Errorf("the line lacks %q: %s", want, log.String())
					}
				}
				for _, secret := range []string{"hunter2", "abcdefghijkl", "marie.curie", "other-servers-key", "7f31c0de"} {
					if strings.Contains(log.String(), secret) {
						t.Errorf("the line has %q: %s", secret, log.String())
					}
				}
			})
		})
	}
}

// TestRenewedRedactors: after a change of the settings the new secret is hidden.
func TestRenewedRedactors(t *testing.T) {
	secret := "first-provider-key"
	s := startWith(t, actors.Options{
		Servers: map[string]upstream.Config{"up": {Type: upstream.Stdio, Disabled: true}},
		Secrets: func() map[string]string { return map[string]string{"(hidden)": secret} },
	})
	for _, server := range []string{"", "up"} {
		if got := s.Redact(server, "a first-provider-key"); got != "a (hidden)" {
			t.Errorf("%q: %s", server, got)
		}
	}
	secret = "second-provider-key"
	s.RenewRedactors()
	for _, server := range []string{"", "up"} {
		if got := s.Redact(server, "a second-provider-key"); got != "a (hidden)" {
			t.Errorf("%q after the change: %s", server, got)
		}
	}
}
