package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/api"
)

func TestRequestLog(t *testing.T) {
	var err error
	l := serve(t, &fake{
		callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) { return json.RawMessage(`{}`), err },
		servers: func(context.Context) ([]toolscript.ServerStatus, error) {
			return []toolscript.ServerStatus{{Name: "a", State: toolscript.Connecting}}, nil
		},
		status: func(context.Context) (toolscript.Status, error) { return toolscript.Status{}, errors.New("what?") },
	})
	tests := []struct {
		name, method, path, body string
		err                      error
		want                     map[string]any
	}{
		{
			name: "a call", method: "POST", path: "/tools/a__b", body: "{}",
			want: map[string]any{"level": "INFO", "route": "/tools/:id", "tool": "a__b", "status": 200.0, "outcome": "ok"},
		},
		{
			name: "a call that is refused", method: "POST", path: "/tools/a__b", body: "[]",
			want: map[string]any{"level": "INFO", "route": "/tools/:id", "tool": "a__b", "status": 400.0, "outcome": "invalid"},
		},
		{
			name: "a call that fails", method: "POST", path: "/tools/a__b", body: "{}",
			err:  &toolscript.Error{Kind: toolscript.ToolFailed, Err: errors.New("no")},
			want: map[string]any{"level": "WARN", "status": 502.0, "outcome": "tool_failed"},
		},
		{
			name: "a fault", method: "POST", path: "/tools/a__b", body: "{}", err: errors.New("what?"),
			want: map[string]any{"level": "ERROR", "status": 500.0, "outcome": "internal", "error": "what?"},
		},
		{
			name: "a question", method: "GET", path: "/servers",
			want: map[string]any{"level": "DEBUG", "route": "/servers", "method": "GET", "status": 200.0, "outcome": "ok"},
		},
		{
			name: "a run", method: "GET", path: "/runs/r1",
			want: map[string]any{"level": "DEBUG", "route": "/runs/:id", "run": "r1"},
		},
		{
			name: "an unknown route", method: "GET", path: "/nothing",
			want: map[string]any{"level": "DEBUG", "route": "", "status": 404.0, "outcome": "not_found"},
		},
		{
			name: "an unknown route that is not only read", method: "DELETE", path: "/nothing",
			want: map[string]any{"level": "INFO", "route": "", "status": 404.0, "outcome": "not_found"},
		},
		{
			name: "a poll while a server connects", method: "GET", path: "/ready",
			want: map[string]any{"level": "DEBUG", "route": "/ready", "status": 503.0, "outcome": "ok"},
		},
		{
			name: "a question with a fault", method: "GET", path: "/status",
			want: map[string]any{"level": "ERROR", "status": 500.0, "outcome": "internal"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err = tt.err
			got := l.log.line(t, "request", l.ask(t, tt.method, tt.path, tt.body).header.Get("X-Request-Id"))
			for name, value := range tt.want {
				if got[name] != value {
					t.Errorf("%s = %v, want %v", name, got[name], value)
				}
			}
			if _, ok := got["duration"]; !ok || got["msg"] != "request" {
				t.Errorf("log line = %v", got)
			}
			if _, stack := got["stack"]; stack != (tt.want["outcome"] == "internal") {
				t.Errorf("the line has a stack: %t", stack)
			}
		})
	}
}

// TestLogHoldsNoSecret: the log contains no secret, wherever in a request the secret is.
func TestLogHoldsNoSecret(t *testing.T) {
	const argument, result = "argument-4711", "result-4712"
	run := api.NewToken()
	l := serve(t, &fake{
		runOf: map[string]string{run: "r1"},
		callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
			if call.ID != "a__b" {
				return nil, &toolscript.Error{
					Kind: toolscript.NotFound, Err: errors.New("no tool " + call.ID),
					Details: []toolscript.Detail{{Path: "/" + call.ID, Message: call.ID}},
				}
			}
			return json.RawMessage(`{"content":"` + result + `"}`), nil
		},
		run: func(_ context.Context, id string) (toolscript.RunRecord, error) {
			return toolscript.RunRecord{}, errors.New("no run " + id)
		},
	})
	l.ask(t, http.MethodPost, "/tools/a__b", `{"a":"`+argument+`"}`)
	l.ask(t, http.MethodPost, "/tools/a__b", `{"a":"`+argument+`"`)
	l.ask(t, http.MethodPost, "/tools/a__b", `{"a":"`+argument+`"}`, header("Content-Type", argument))
	l.ask(t, http.MethodPost, "/exec", `{"code":"`+argument+`"}`)
	l.ask(t, http.MethodPost, "/exec", `{"code":"`+argument+`","x":1}`)
	l.ask(t, http.MethodGet, "/tools?filter="+argument, "")
	l.ask(t, http.MethodGet, "/tools?"+argument+"=1", "")
	ask(t, http.MethodGet, l.BaseURL()+"/tools", nil, header("Authorization", "Bearer "+l.token))
	ask(t, http.MethodGet, l.BaseURL()+"/tools?x="+l.token, nil)
	for _, misplaced := range []answer{
		l.ask(t, http.MethodPost, "/tools/"+l.token, "{}"),
		l.ask(t, http.MethodGet, "/runs/"+l.token, ""),
		l.ask(t, http.MethodGet, "/"+l.token+"/"+l.token, ""),
		l.ask(t, http.MethodGet, "/tools?filter="+l.token+"&"+l.token[:9]+"=1", ""),
		l.ask(t, l.token, "/tools", ""),
		ask(t, http.MethodPost, l.BaseURL()+"/"+run+"/tools/"+run, strings.NewReader("{}")),
		ask(t, http.MethodGet, l.BaseURL()+"/"+run+"/runs", nil),
		ask(t, http.MethodGet, l.BaseURL()+"/"+run+"/"+l.token, nil),
	} {
		if misplaced.status < 400 || strings.Contains(misplaced.body, l.token) || strings.Contains(misplaced.body, run) {
			t.Errorf("a misplaced capability is answered with %d %s", misplaced.status, misplaced.body)
		}
	}
	log := l.log.String()
	for name, secret := range map[string]string{"the capability": l.token, "a run's capability": run, "an argument": argument, "a result": result} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %s:\n%s", name, log)
		}
	}
	if lines := strings.Count(log, "\n"); lines != 17 {
		t.Errorf("%d log lines for 17 requests", lines)
	}
}
