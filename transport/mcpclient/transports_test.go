package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestListAndCallOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		if info := c.Info(); info.Title != "Test server" || info.Protocol != upstream.Handshake {
			t.Errorf("info %+v", info)
		}
		tools, err := c.ListTools(kit.Within(t))
		if err != nil || len(tools) < 20 {
			t.Fatalf("%d tools, %v", len(tools), err)
		}
		if got := text(t, c, "echo", `{"text":"a\nb 日本"}`); got != "a\nb 日本" {
			t.Errorf("echo = %q", got)
		}
		if r := sentCall(t, c, "struct", `{}`); string(r.StructuredContent) != `{"n":12345678901234567890}` {
			t.Errorf("struct = %s", r.StructuredContent)
		}
		_, err = c.CallTool(kit.Within(t), "rpcerror", nil, nil)
		var e *toolscript.Error
		if !errors.As(err, &e) || e.Kind != toolscript.ToolFailed || e.RPCCode != -32042 {
			t.Errorf("rpcerror: %v", err)
		}
	})
}

func TestManyCallsAtOnceOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		done := make(chan error, 100)
		for range cap(done) {
			go func() {
				raw, err := c.CallTool(kit.Within(t), "echo", json.RawMessage(`{"text":"x"}`), nil)
				if err == nil && !strings.Contains(string(raw), `"x"`) {
					err = errors.New(string(raw))
				}
				done <- err
			}()
		}
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestNoticesOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, wire string, cfg upstream.Config) {
		t.Helper()
		changed := make(chan struct{}, 10)
		logged := make(chan string, 10)
		c := dial(t, cfg, upstream.Events{
			ToolsChanged: func() { changed <- struct{}{} },
			Log: func(level slog.Level, message string) {
				if level == slog.LevelWarn {
					logged <- message
				}
			},
		})
		text(t, c, "tell", `{"method":"notifications/tools/list_changed"}`)
		kit.Receive(t, changed)
		text(t, c, "log", `{"level":"warning","text":"careful"}`)
		if got := kit.Receive(t, logged); got != "careful" {
			t.Errorf("logged %q", got)
		}
		if wire == "bodies" {
			return // an answer without a stream cannot contain progress notifications
		}
		var signs atomic.Int64
		if _, err := c.CallTool(kit.Within(t), "progress", json.RawMessage(`{"steps":3,"ms":1}`), func() { signs.Add(1) }); err != nil {
			t.Fatal(err)
		}
		if signs.Load() != 3 {
			t.Errorf("%d signs of progress, want 3", signs.Load())
		}
	})
}

func TestRequestsOfTheServerOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, wire string, cfg upstream.Config) {
		t.Helper()
		if wire == "bodies" {
			t.Skip("a server that answers with bodies has no stream for its requests")
		}
		c := dial(t, cfg, upstream.Events{})
		for method, want := range map[string]string{
			"ping":                   `{}`,
			"roots/list":             `{"roots":[]}`,
			"elicitation/create":     "not supported",
			"sampling/createMessage": "no such method: sampling/createMessage",
			"no/such":                "no such method: no/such",
		} {
			wantText(t, method, text(t, c, "ask", `{"method":"`+method+`"}`), want)
		}
		person := dial(t, cfg, upstream.Events{
			Elicit: func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
				if !strings.Contains(string(params), "message") {
					panic("a faulty handler")
				}
				return json.RawMessage(`{"action":"accept","content":` + string(params) + `}`), nil
			},
		})
		if got := text(t, person, "ask", `{"method":"elicitation/create","params":{"z":1,"message":"who?","a":{"c":2,"b":1}}}`); got != `{"action":"accept","content":{"z":1,"message":"who?","a":{"c":2,"b":1}}}` {
			t.Errorf("elicitation = %s", got)
		}
		wantText(t, "a handler that panics", text(t, person, "ask", `{"method":"elicitation/create"}`), "fault of toolscript")
		if got := text(t, person, "echo", `{"text":"still here"}`); got != "still here" {
			t.Errorf("echo = %q", got)
		}
	})
}

func TestCancelReachesTheServerOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, "never", nil, nil)
			done <- err
		}()
		text(t, c, "echo", `{"text":"the call before is on its way"}`)
		cancel()
		if err := kit.Receive(t, done); toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("error %v", err)
		}
		kit.Eventually(t, "notifications/cancelled", func() bool { return string(sentCall(t, c, "cancelled", `{}`).StructuredContent) == `{"seen":1}` })
	})
}
