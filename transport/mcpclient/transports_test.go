package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestListAndCallOnEveryWire uses servers with a handshake. The client also offers MCP 2026-07-28 to them. One of them
// ignores unknown requests.
func TestListAndCallOnEveryWire(t *testing.T) {
	for _, protocol := range []string{upstream.Handshake, upstream.Stateless} {
		check := func(t *testing.T, _ string, cfg upstream.Config) {
			t.Helper()
			cfg.Protocol = protocol
			c := dial(t, cfg, upstream.Events{})
			if info := c.Info(); info.Title != "Test server" || info.Protocol != upstream.Handshake {
				t.Errorf("info %+v", info)
			}
			checkTools(t, c)
		}
		t.Run("strict", func(t *testing.T) { check(t, "", config(t, "strict")) })
		onEveryWire(t, check)
	}
}

func TestManyCallsAtOnceOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		var calls sync.WaitGroup
		for i := range 100 {
			calls.Go(func() {
				for j := range 5 {
					want := fmt.Sprintf("%d/%d", i, j)
					if got := text(t, c, "echo", fmt.Sprintf(`{"text":%q}`, want)); got != want {
						t.Errorf("echo = %q, want %q", got, want)
					}
				}
			})
		}
		calls.Wait()
	})
}

func TestNoticesOnEveryWire(t *testing.T) {
	onEveryWire(t, func(t *testing.T, wire string, cfg upstream.Config) {
		t.Helper()
		changed := make(chan struct{}, 10)
		logged := make(chan string, 10)
		cfg.Secrets = map[string]string{"${TOKEN}": "s3cr3t-t0k3n"}
		c := dial(t, cfg, upstream.Events{
			ToolsChanged: func() { changed <- struct{}{} },
			Log: func(level slog.Level, message string) {
				if level == slog.LevelWarn {
					logged <- message
				}
			},
		})
		text(t, c, "change_tools", `{}`)
		kit.Receive(t, changed)
		if tools, err := c.ListTools(kit.Within(t)); err != nil || tools[len(tools)-1].Name != "added" {
			t.Errorf("tools %q, %v", names(tools), err)
		}
		text(t, c, "log", `{"level":"warning","text":"my token is s3cr3t-t0k3n\nreally"}`)
		if got := kit.Receive(t, logged); got != "my token is ${TOKEN} really" {
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
		done := calling(ctx, c, "never", "")
		text(t, c, "echo", `{"text":"the call before is on its way"}`)
		cancel()
		if err := kit.Receive(t, done); toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("error %v", err)
		}
		kit.Eventually(t, "notifications/cancelled", func() bool { return string(sentCall(t, c, "cancelled", `{}`).StructuredContent) == `{"seen":1}` })
	})
}
