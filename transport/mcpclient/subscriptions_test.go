package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// announcer is a server of the official Go SDK that has one resource, and records its subscriptions.
type announcer struct {
	*sdk.Server
	mu     sync.Mutex
	events []string
}

func (a *announcer) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, fmt.Sprintf(format, args...))
}

func (a *announcer) noted() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.events)
}

func newAnnouncer() *announcer {
	a := &announcer{}
	a.Server = sdk.NewServer(&sdk.Implementation{Name: "announcer", Version: "1"}, &sdk.ServerOptions{
		SubscribeHandler: func(_ context.Context, r *sdk.SubscribeRequest) error {
			a.note("subscribe %s", r.Params.URI)
			if r.Params.URI == "test:///secret" {
				return errors.New("not this one")
			}
			return nil
		},
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error {
			a.note("unsubscribe %s", r.Params.URI)
			return nil
		},
	})
	read := func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "test:///1", Text: "one"}}}, nil
	}
	a.AddResource(&sdk.Resource{URI: "test:///1", Name: "one"}, read)
	a.AddPrompt(&sdk.Prompt{Name: "first"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	})
	sdk.AddTool(a.Server, &sdk.Tool{Name: "log"}, func(ctx context.Context, r *sdk.CallToolRequest, in struct{ Level string }) (*sdk.CallToolResult, any, error) {
		err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: sdk.LoggingLevel(in.Level), Logger: "db", Data: map[string]any{"n": 1}}) //nolint:staticcheck // deprecated in MCP, but supported
		return &sdk.CallToolResult{}, nil, err
	})
	return a
}

// announcements receives the announcements of a connection.
type announcements chan string

func (a announcements) events() upstream.Events {
	return upstream.Events{
		Updated:     func(uri string) { a <- "updated " + uri },
		ListChanged: func(of toolscript.Collection) { a <- "list " + string(of) },
		Said: func(level, logger string, data json.RawMessage) {
			a <- fmt.Sprintf("said %s %s %s", level, logger, data)
		},
	}
}

func (a announcements) expect(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-a:
		if got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	case <-kit.Within(t).Done():
		t.Fatalf("not told %q", want)
	}
}

// onAnnouncer runs test with the server, with and without a handshake.
func onAnnouncer(t *testing.T, test func(t *testing.T, a *announcer, c *mcpclient.Conn, told announcements, modern bool)) {
	t.Helper()
	for _, version := range []string{upstream.Handshake, upstream.Stateless} {
		t.Run(version, func(t *testing.T) {
			a := newAnnouncer()
			h := serve(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return a.Server }, &sdk.StreamableHTTPOptions{Stateless: version == upstream.Stateless}))
			told := make(announcements, 100)
			c := dial(t, upstream.Config{Type: upstream.HTTP, URL: h, Protocol: version}, told.events())
			test(t, a, c, told, version == upstream.Stateless)
		})
	}
}

func ask(t *testing.T, c *mcpclient.Conn, o toolscript.FetchRequest) error {
	t.Helper()
	_, err := c.Fetch(kit.Within(t), o, nil)
	return err
}

func TestSubscribe(t *testing.T) {
	onAnnouncer(t, func(t *testing.T, a *announcer, c *mcpclient.Conn, told announcements, modern bool) {
		t.Helper()
		on := toolscript.FetchRequest{ID: toolscript.Subscribe, URI: "test:///1"}
		if err := ask(t, c, on); err != nil {
			t.Fatal(err)
		}
		update := func() {
			if err := a.ResourceUpdated(t.Context(), &sdk.ResourceUpdatedNotificationParams{URI: "test:///1"}); err != nil {
				t.Error(err)
			}
		}
		update()
		told.expect(t, "updated test:///1")
		if err := ask(t, c, toolscript.FetchRequest{ID: toolscript.Subscribe, URI: "test:///secret"}); err == nil {
			t.Error("a subscription that the server refuses is no error")
		}
		on.ID = toolscript.Unsubscribe
		if err := ask(t, c, on); err != nil {
			t.Error(err)
		}
		if !modern {
			kit.Eventually(t, "the end of the subscription", func() bool { return slices.Contains(a.noted(), "unsubscribe test:///1") })
		}
		if err := ask(t, c, toolscript.FetchRequest{ID: toolscript.Subscribe}); toolscript.KindOf(err) != toolscript.Invalid {
			t.Errorf("without a URI: %v", err)
		}
	})
}

func TestChangedLists(t *testing.T) {
	onAnnouncer(t, func(t *testing.T, a *announcer, _ *mcpclient.Conn, told announcements, _ bool) {
		t.Helper()
		kit.Eventually(t, "the change of a list", func() bool { // in 2026-07-28, the server learns of the subscription after the dial
			a.AddPrompt(&sdk.Prompt{Name: "second"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				return &sdk.GetPromptResult{}, nil
			})
			select {
			case got := <-told:
				return got == "list prompts"
			case <-time.After(time.Second): // the server collects changes for a moment
				return false
			}
		})
	})
}

func TestLogLevel(t *testing.T) {
	onAnnouncer(t, func(t *testing.T, _ *announcer, c *mcpclient.Conn, told announcements, _ bool) {
		t.Helper()
		if err := ask(t, c, toolscript.FetchRequest{ID: toolscript.SetLogLevel, Value: "warning"}); err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"info", "error"} {
			if _, err := c.CallTool(kit.Within(t), "log", json.RawMessage(`{"Level":"`+level+`"}`), nil); err != nil {
				t.Fatal(err)
			}
		}
		told.expect(t, `said error db {"n":1}`)
		if err := ask(t, c, toolscript.FetchRequest{ID: toolscript.SetLogLevel, Value: "debug"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(kit.Within(t), "log", json.RawMessage(`{"Level":"debug"}`), nil); err != nil {
			t.Fatal(err)
		}
		told.expect(t, `said debug db {"n":1}`)
	})
}

// A server that does not announce subscriptions gets no request for one.
func TestNoSubscriptions(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	if err := ask(t, c, toolscript.FetchRequest{ID: toolscript.Subscribe, URI: "test:///1"}); !errors.Is(err, upstream.ErrNoCapability) {
		t.Errorf("%v, want that the server lacks the capability", err)
	}
	if err := ask(t, c, toolscript.FetchRequest{ID: toolscript.SetLogLevel, Value: "debug"}); err != nil {
		t.Error(err)
	}
}
