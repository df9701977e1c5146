package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestInfo(t *testing.T) {
	got := dial(t, config(t), upstream.Events{}).Info()
	want := upstream.Info{Title: "Test server", Icon: got.Icon, Version: "1.2.3", Instructions: "Misbehaves on request.", Protocol: "2025-11-25"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Info (-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(got.Icon, "data:image/png;base64,") {
		t.Errorf("the icon is %.80q", got.Icon)
	}
}

func TestCallTool(t *testing.T) {
	c := dial(t, config(t, "strict", "chatty"), upstream.Events{})
	for _, tt := range []struct {
		name, tool, args, want string
	}{
		{"text", "echo", `{"text":"a<b & \"日本\""}`, `{"content":[{"text":"a\u003cb \u0026 \"日本\"","type":"text"}]}`},
		{"no arguments", "echo", ``, `{"content":[{"text":"","type":"text"}]}`},
		{"an integer beyond 2^53", "struct", `{}`, `{"content":[{"text":"{\"n\":12345678901234567890}","type":"text"}],"structuredContent":{"n":12345678901234567890}}`},
		{"against its own schema", "badstruct", `{}`, `{"content":[{"text":"{\"n\":\"not a number\"}","type":"text"}],"structuredContent":{"n":"not a number"}}`},
		{"isError", "iserror", `{}`, `{"content":[{"text":"the tool failed","type":"text"}],"isError":true}`},
		{"unknown content", "unknowncontent", `{}`, `{"content":[{"beam":1,"type":"hologram"}]}`},
		{"null for content", "nullcontent", `{}`, `{"content":null}`},
		{"text on stdout before the answer", "garbage", `{}`, `{"content":[{"text":"after garbage","type":"text"}]}`},
		{"answered three times", "dup", `{"times":3}`, `{"content":[{"text":"again","type":"text"}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := c.CallTool(kit.Within(t), tt.tool, json.RawMessage(tt.args), nil)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("CallTool(%s, %s)\n got %s\nwant %s", tt.tool, tt.args, got, tt.want)
			}
		})
	}
}

func TestCallToolErrors(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	for _, tt := range []struct {
		name, tool, args string
		kind             toolscript.Kind
		code             int
		text             string
	}{
		{"error of the protocol", "rpcerror", `{"code":-32099,"message":"no \u001b[31mluck\u001b[0m"}`, toolscript.ToolFailed, -32099, "srv: no luck"},
		{"unknown tool", "nothing", `{}`, toolscript.ToolFailed, -32602, "srv: no such tool: nothing"},
		{"null for a result", "noresult", `{}`, toolscript.ToolFailed, 0, "not a tool result"},
		{"a list for arguments", "echo", `[]`, toolscript.Invalid, 0, "JSON object"},
		{"broken arguments", "echo", `{"text":`, toolscript.Invalid, 0, "JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.CallTool(kit.Within(t), tt.tool, json.RawMessage(tt.args), nil)
			var e *toolscript.Error
			if !errors.As(err, &e) {
				t.Fatalf("CallTool(%s, %s) = %v, want a *toolscript.Error", tt.tool, tt.args, err)
			}
			if e.Kind != tt.kind || e.RPCCode != tt.code || e.Server != "srv" || e.Tool != tt.tool {
				t.Errorf("CallTool(%s, %s): kind %s, code %d, of %s %s", tt.tool, tt.args, e.Kind, e.RPCCode, e.Server, e.Tool)
			}
			wantText(t, "error", err.Error(), tt.text)
		})
	}
}

func TestPanickingEventsEndNothing(t *testing.T) {
	c := dial(t, config(t), upstream.Events{
		ToolsChanged: func() { panic("planted") },
		Log:          func(slog.Level, string) { panic("planted too") },
	})
	if _, err := c.CallTool(kit.Within(t), "progress", json.RawMessage(`{"steps":1}`), func() { panic("planted") }); err != nil {
		t.Error(err)
	}
	c.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "echo", Done: func(json.RawMessage, error) { panic("planted") }})
	text(t, c, "change_tools", `{}`)
	text(t, c, "log", `{"level":"error","text":"x"}`)
	text(t, c, "garbage", `{}`)
	if got := text(t, c, "echo", `{"text":"alive"}`); got != "alive" {
		t.Errorf("echo = %q", got)
	}
}

func TestCancellationIsSeenByTheServer(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	for _, tt := range []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		kind toolscript.Kind
	}{
		{"deadline", func(p context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(p, 50*time.Millisecond)
		}, toolscript.Timeout},
		{"cause with a kind", func(p context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(p)
			time.AfterFunc(50*time.Millisecond, func() { cancel(&toolscript.Error{Kind: toolscript.LimitTime}) })
			return ctx, func() { cancel(nil) }
		}, toolscript.LimitTime},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := string(sentCall(t, c, "cancelled", "").StructuredContent)
			ctx, cancel := tt.ctx(t.Context())
			defer cancel()
			if _, err := c.CallTool(ctx, "never", nil, nil); toolscript.KindOf(err) != tt.kind {
				t.Errorf("CallTool(never) = %v of kind %s, want kind %s", err, toolscript.KindOf(err), tt.kind)
			}
			kit.Eventually(t, "one more cancellation", func() bool {
				return string(sentCall(t, c, "cancelled", "").StructuredContent) != before
			})
		})
	}
}

func TestServerThatDoesNotReadBlocksNothing(t *testing.T) {
	c := dial(t, config(t, "not-reading"), upstream.Events{})
	args := json.RawMessage(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`)
	ctx := kit.WithTimeout(t, 300*time.Millisecond)
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			if _, err := c.CallTool(ctx, "echo", args, nil); toolscript.KindOf(err) != toolscript.Timeout {
				t.Errorf("CallTool = %v, want kind timeout", err)
			}
		})
	}
	calls.Wait()
	if err := c.Ping(kit.WithTimeout(t, 50*time.Millisecond)); toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("Ping = %v, want a timeout", err)
	}
}
