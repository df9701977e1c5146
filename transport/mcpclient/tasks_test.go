package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// onTasks runs test with a server whose tool work is a task, in both forms of tasks and on each transport.
func onTasks(t *testing.T, test func(t *testing.T, cfg upstream.Config, h *mcpserver.HTTP, modern bool)) {
	t.Helper()
	for name, kind := range map[string][]string{
		"stdio": {upstream.Stdio, "tasks"}, "stdio modern": {upstream.Stdio, "tasks", "modern"},
		"http": {upstream.HTTP, "tasks"}, "http modern": {upstream.HTTP, "tasks", "modern"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, h := started(t, kind...)
			test(t, cfg, h, slices.Contains(kind, "modern"))
		})
	}
}

// progressOf returns a function that records progress, and one that returns what it has recorded.
func progressOf() (watch func(toolscript.Progress), seen func() string) {
	var mu sync.Mutex
	var all []string
	return func(p toolscript.Progress) {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, p.Message)
		}, func() string {
			mu.Lock()
			defer mu.Unlock()
			return strings.Join(all, "; ")
		}
}

// TestTasks: the caller of a tool that is a task sees an ordinary call with progress.
func TestTasks(t *testing.T) {
	onTasks(t, func(t *testing.T, cfg upstream.Config, h *mcpserver.HTTP, modern bool) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		if _, err := c.ListTools(kit.Within(t)); err != nil {
			t.Fatal(err)
		}
		watch, seen := progressOf()
		raw, err := c.CallTool(upstream.WatchProgress(kit.Within(t), watch), "work", json.RawMessage(`{"text":"it"}`), nil)
		if err != nil || !strings.Contains(string(raw), `"text":"done it"`) {
			t.Fatalf("result %s, %v", raw, err)
		}
		if got := seen(); !strings.Contains(got, "task task-") || !strings.Contains(got, "step 1") {
			t.Errorf("progress %q", got)
		}
		// The client asks as soon as the server announces a change. Without that it would ask after a minute.
		raw, err = c.CallTool(kit.WithTimeout(t, 50*time.Second), "work", json.RawMessage(`{"text":"push"}`), nil)
		if err != nil || !strings.Contains(string(raw), `"text":"done push"`) {
			t.Errorf("a task whose changes are announced: %s, %v", raw, err)
		}
		_, err = c.CallTool(kit.Within(t), "work", json.RawMessage(`{"text":"fail"}`), nil)
		var e *toolscript.Error
		if !errors.As(err, &e) || e.RPCCode != -32050 || e.Sent != toolscript.SentYes && e.Sent != toolscript.SentUnknown {
			t.Errorf("a task that fails: %v, sent %s", err, toolscript.SentOf(err))
		}
		if h != nil && modern {
			named := slices.ContainsFunc(h.Headers(), func(header http.Header) bool {
				return header.Get("Mcp-Method") == "tasks/get" && strings.HasPrefix(header.Get("Mcp-Name"), "task-")
			})
			if !named {
				t.Error("no request of a task has its id in the header Mcp-Name")
			}
		}
	})
}

// TestTaskAsks: if a task asks for input, the client asks the person behind the call.
func TestTaskAsks(t *testing.T) {
	cfg, _ := started(t, upstream.HTTP, "tasks", "modern")
	asked := 0
	c := dial(t, cfg, upstream.Events{Elicit: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		asked++
		return json.RawMessage(`{"action":"decline"}`), nil
	}})
	raw, err := c.CallTool(kit.Within(t), "work", json.RawMessage(`{"text":"ask"}`), nil)
	if err != nil || !strings.Contains(string(raw), `{\"who\":{\"action\":\"decline\"}}`) || asked != 1 {
		t.Errorf("result %s, %v, after %d questions", raw, err, asked)
	}
	alone := dial(t, cfg, upstream.Events{})
	if _, err := alone.CallTool(kit.Within(t), "work", json.RawMessage(`{"text":"ask"}`), nil); err == nil || !strings.Contains(err.Error(), "elicitation") {
		t.Errorf("without a person: %v", err)
	}
}

// working begins a call whose task does not end, and waits for its progress.
func working(ctx context.Context, t *testing.T, cfg upstream.Config) (*mcpclient.Conn, <-chan error) {
	t.Helper()
	c := dial(t, cfg, upstream.Events{})
	if _, err := c.ListTools(kit.Within(t)); err != nil {
		t.Fatal(err)
	}
	watch, seen := progressOf()
	done := calling(upstream.WatchProgress(ctx, watch), c, "work", `{"text":"stay"}`)
	kit.Eventually(t, "progress", func() bool { return strings.Contains(seen(), "step 2") })
	return c, done
}

// TestTaskIsCancelled: if the caller gives up, the task ends at the server.
func TestTaskIsCancelled(t *testing.T) {
	for _, generation := range [][]string{{"tasks"}, {"tasks", "modern"}} {
		cfg, h := started(t, append([]string{upstream.HTTP}, generation...)...)
		ctx, cancel := context.WithCancel(t.Context())
		_, done := working(ctx, t, cfg)
		cancel()
		if err := kit.Receive(t, done); toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("error %v", err)
		}
		kit.Eventually(t, "the cancellation", func() bool { return h.Seen("tasks/cancel") == 1 })
	}
}

// TestTaskOutlivesTheConnection: another connection can wait for a task of a lost connection.
func TestTaskOutlivesTheConnection(t *testing.T) {
	for _, generation := range [][]string{{"tasks"}, {"tasks", "modern"}} {
		cfg, _ := started(t, append([]string{upstream.HTTP}, generation...)...)
		c, done := working(t.Context(), t, cfg)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		err := kit.Receive(t, done)
		id := mcpclient.TaskOf(err)
		if !strings.HasPrefix(id, "task-") || toolscript.KindOf(err) != toolscript.Unavailable || toolscript.SentOf(err) != toolscript.SentUnknown {
			t.Fatalf("error %v, task %q", err, id)
		}
		again, seenAgain := progressOf()
		next := dial(t, cfg, upstream.Events{})
		call := next.Start(upstream.ToolCall{Ctx: upstream.WatchProgress(t.Context(), again), Tool: "work", Task: id, Done: func(json.RawMessage, error) {}})
		kit.Eventually(t, "more progress", func() bool { return strings.Contains(seenAgain(), "task "+id+": step") })
		call.Cancel("enough", context.Canceled)
	}
}
