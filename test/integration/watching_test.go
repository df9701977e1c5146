//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
)

// atEntrance runs a script for Node with the arguments for an entrance of a gateway with a configuration, and
// decodes what it prints.
func atEntrance(t *testing.T, entrance, script string, p harness.Program, path string, got any) {
	t.Helper()
	cmd := p.Command(context.WithoutCancel(t.Context()), "mcp", "--config", path)
	args := append([]string{script}, cmd.Args...)
	if entrance == "http" {
		p.Serve(t, "--config", path)
		a := mcpAddressOf(t, p, path)
		headers, err := json.Marshal(a.Headers)
		if err != nil {
			t.Fatal(err)
		}
		args = []string{script, a.Endpoint, string(headers)}
	}
	client := exec.CommandContext(kit.Within(t), node(), args...)
	client.Env = cmd.Env
	out, err := client.Output()
	if err == nil {
		err = json.Unmarshal(out, got)
	}
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Logf("%s", failed.Stderr)
		}
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestSubscriptionsOfTheSDK has a client of the official SDK subscribe to a resource of a real server, at
// each entrance. The server logs that.
func TestSubscriptionsOfTheSDK(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			var got struct {
				Updated      string
				Logged       struct{ Level, Logger, Data string }
				Unknown      any
				Capabilities struct{ Resources struct{ Subscribe bool } }
			}
			p := program(t)
			path := p.Configured(t, servers(t))
			atEntrance(t, entrance, "watching_client.mjs", p, path, &got)
			if got.Updated != "demo://resource/dynamic/text/7" || got.Unknown != -32002.0 || !got.Capabilities.Resources.Subscribe {
				t.Errorf("got %+v", got)
			}
			if got.Logged.Level != "info" || got.Logged.Logger != "everything" || !strings.Contains(got.Logged.Data, "Received Subscribe Resource request") {
				t.Errorf("logged %+v", got.Logged)
			}
		})
	}
}

// TestListenOfTheGoSDK has clients of the Go SDK, which speaks MCP 2026-07-28, subscribe to resources. A
// client is told of its own resources only. Its subscription goes on after the server was killed.
func TestListenOfTheGoSDK(t *testing.T) {
	g := gateway(t, servers(t))
	ready(t, g)
	begin := func(uri string) (*mcp.ClientSession, <-chan string) {
		told := make(chan string, 100)
		client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { told <- r.Params.URI },
		})
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.URL + "/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })                                                   // the server may have gone
		go func() { _ = session.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri}) }() // ends with the session
		return session, told
	}
	await := func(told <-chan string, want string) {
		t.Helper()
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told %s, want %s", got, want)
			}
		case <-kit.Within(t).Done():
			t.Fatalf("not told %s", want)
		}
	}
	one, other := "demo://resource/dynamic/text/1", "demo://resource/dynamic/text/2"
	session, told := begin(one)
	if version := session.InitializeResult().ProtocolVersion; version != "2026-07-28" {
		t.Fatalf("the client speaks %s", version)
	}
	_, toldOther := begin(other)
	if status, r := call(t, g, "everything__toggle-subscriber-updates", map[string]any{}); status != 200 || r.IsError {
		t.Fatalf("%d %+v", status, r)
	}
	await(told, one)
	await(toldOther, other)
	if status, err := g.Post(t.Context(), "/servers/everything/restart", nil, nil); err != nil || status != 200 {
		t.Fatalf("restart: %d %v", status, err)
	}
	await(told, one) // it may have changed in the meantime
	await(toldOther, other)
}

// TestLogsOfARequest has a client of MCP 2026-07-28 ask for the log messages of a request: it gets those of
// the server that its script calls.
func TestLogsOfARequest(t *testing.T) {
	g := gateway(t, servers(t))
	ready(t, g)
	logged := make(chan *mcp.LoggingMessageParams, 100) //nolint:staticcheck // deprecated in MCP, but supported
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, &mcp.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { logged <- r.Params }, //nolint:staticcheck // as above
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may have gone
	for _, level := range []string{"", "debug"} {
		params := &mcp.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": `await tools.everything.toggleSimulatedLogging(); await tools.everything.toggleSimulatedLogging()`}}
		if level != "" {
			params.Meta = mcp.Meta{"io.modelcontextprotocol/logLevel": level}
		}
		result, err := session.CallTool(t.Context(), params)
		if err != nil || result.IsError {
			t.Fatalf("%v, %+v", err, result)
		}
		if got := len(logged); level == "" && got > 0 {
			t.Errorf("%d messages for a request without a level", got)
		}
	}
	select {
	case got := <-logged:
		if got.Logger != "everything" || !strings.Contains(strings.ToLower(got.Data.(string)), "message") {
			t.Errorf("logged %+v", got)
		}
	case <-kit.Within(t).Done():
		t.Error("no message for a request with a level")
	}
}
