package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// serverRole is the environment variable that makes this test binary the server.
const serverRole = "MCPCLIENT_TEST_ROLE"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == proc.Command {
		os.Exit(proc.Main())
	}
	if text := os.Getenv(dialRole); text != "" {
		os.Exit(dialUntilKilled(text))
	}
	if os.Getenv(serverRole) != "" {
		os.Exit(mcpserver.Main())
	}
	mcpclient.SetPatience(pace.Product)
	os.Exit(m.Run())
}

// dialRole is the environment variable that makes the test binary connect to a server, whose
// configuration is the value as JSON, until it is killed.
const dialRole = "MCPCLIENT_TEST_DIAL"

func dialUntilKilled(text string) int {
	var cfg upstream.Config
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_, err := mcpclient.Dialer{Reaper: proc.NewReaper(slog.Default())}.Dial(context.Background(), "srv", cfg, upstream.Events{
		Starting: func(func() proc.Activity) { fmt.Println("starting") }, // called for the wait for another installation, and for the process
	})
	fmt.Fprintln(os.Stderr, "the dial ended:", err)
	return 1
}

// config returns a server with the given switches.
func config(t *testing.T, switches ...string) upstream.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		serverRole: "server",
		"GORACE":   "atexit_sleep_ms=0", // otherwise the race detector delays the exit of a process by a second
	}
	if testing.CoverMode() != "" {
		env["GOCOVERDIR"] = t.TempDir() // otherwise the server prints a warning to stderr when it exits
	}
	return upstream.Config{Type: upstream.Stdio, Command: self, Args: switches, Env: env}
}

// dial connects to a server. The connection is closed at the end of the test.
func dial(t *testing.T, cfg upstream.Config, on upstream.Events) *mcpclient.Conn {
	t.Helper()
	c, err := mcpclient.Dialer{}.Dial(kit.Within(t), "srv", cfg, on)
	if err != nil {
		t.Fatalf("Dial: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c
}

// toolResult holds the members of a result that the tests check.
type toolResult struct {
	Content           []struct{ Type, Text string } `json:"content"`
	StructuredContent json.RawMessage               `json:"structuredContent"`
	IsError           bool                          `json:"isError"`
}

// sentCall calls a tool and fails the test on an error.
func sentCall(t *testing.T, c *mcpclient.Conn, tool, args string) toolResult {
	t.Helper()
	raw, err := c.CallTool(kit.Within(t), tool, json.RawMessage(args), nil)
	if err != nil {
		t.Fatalf("CallTool(%s, %s): %v", tool, args, err)
	}
	var r toolResult
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("CallTool(%s, %s) = %s: %v", tool, args, raw, err)
	}
	return r
}

// calling makes a call in the background. The channel receives its error.
func calling(ctx context.Context, c *mcpclient.Conn, tool, args string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, tool, json.RawMessage(args), nil)
		done <- err
	}()
	return done
}

// text returns the single text block of a tool's answer.
func text(t *testing.T, c *mcpclient.Conn, tool, args string) string {
	t.Helper()
	r := sentCall(t, c, tool, args)
	if len(r.Content) != 1 {
		t.Fatalf("%s(%s): %d content blocks, want 1", tool, args, len(r.Content))
	}
	return r.Content[0].Text
}

// pid returns the process id of the server.
func pid(t *testing.T, c *mcpclient.Conn) int {
	t.Helper()
	var p struct{ PID int }
	if err := json.Unmarshal([]byte(text(t, c, "args", "{}")), &p); err != nil {
		t.Fatal(err)
	}
	return p.PID
}

// awaitLost waits for the end of a connection and returns the reason.
func awaitLost(t *testing.T, c *mcpclient.Conn) error {
	t.Helper()
	select {
	case <-c.Lost():
		return c.Err()
	case <-time.After(kit.Patience):
		t.Fatal("the connection is not lost")
		return nil
	}
}

func wantText(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s = %q, want %q in it", what, got, part)
		}
	}
}
