package actors_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// TestGW23CallLog: a script's call has one line. That of a call with an HTTP
// request of its own, which the gateway logs, is for debugging.
func TestGW23CallLog(t *testing.T) {
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
			map[string]any{"level": "INFO", "msg": "tool call", "tool": "up__echo", "run": "r1", "outcome": "invalid"},
		},
		{
			"of a server that is not there", toolscript.Call{ID: "down__echo", Run: "r1"},
			map[string]any{"level": "INFO", "msg": "tool call", "tool": "down__echo", "run": "r1", "outcome": "unavailable"},
		},
		{
			"of what is no tool id", toolscript.Call{ID: "secret", Run: "r1"},
			map[string]any{"level": "INFO", "msg": "tool call", "run": "r1", "outcome": "not_found"},
		},
	}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := startWith(t, actors.Options{
			Dial: dialer{}.dial,
			Servers: map[string]mcpclient.Config{
				"up":   {Type: mcpclient.Stdio},
				"down": {Problem: &toolscript.Error{Kind: toolscript.Invalid}},
			},
			Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		})
		settle(t, s)
		synctest.Wait()
		for _, tt := range tests {
			log.Reset()
			_, _ = actors.CallAny(s, t.Context(), tt.call) // the line says how it ended
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
