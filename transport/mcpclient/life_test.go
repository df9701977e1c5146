package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// refused dials a server and fails the test if the dial succeeds.
func refused(t *testing.T, cfg upstream.Config, timeout time.Duration) (*toolscript.Error, []string) {
	t.Helper()
	c, err := mcpclient.Dialer{}.Dial(kit.WithTimeout(t, timeout), "srv", cfg, upstream.Events{})
	if err == nil {
		_ = c.Close() // the test has already failed
		t.Fatal("Dial: no error")
	}
	var e *toolscript.Error
	if !errors.As(err, &e) || e.Server != "srv" {
		t.Fatalf("Dial: %v, want a *toolscript.Error of srv", err)
	}
	var d *mcpclient.DialError
	if !errors.As(err, &d) {
		return e, nil
	}
	return e, d.Stderr
}

func TestDialErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  func(*upstream.Config)
		time time.Duration
		kind toolscript.Kind
		text []string
	}{
		{"exits at once", func(c *upstream.Config) { c.Args = []string{"exit=3"} }, kit.Patience, toolscript.Unavailable,
			[]string{"exit status 3", "mcpserver: exit requested"}},
		{"prints only text", func(c *upstream.Config) { c.Args = []string{"garbage"} }, pace.Limit(500 * time.Millisecond), toolscript.Timeout,
			[]string{`"initialize"`, `"Listening on port 3000"`}},
		{"never answers", func(c *upstream.Config) { c.Args = []string{"silent"} }, 500 * time.Millisecond, toolscript.Timeout,
			[]string{`"initialize"`}},
		{"ignores signals and is slow", func(c *upstream.Config) { c.Args = []string{"ignore-signals", "hang=1h"} }, 500 * time.Millisecond, toolscript.Timeout,
			[]string{`"initialize"`}},
		{"another protocol", func(c *upstream.Config) { c.Args = []string{"version=1999-12-31"} }, kit.Patience, toolscript.Unsupported,
			[]string{`MCP version "1999-12-31"`}},
		{"no such command", func(c *upstream.Config) { c.Command = "no-such-command" }, kit.Patience, toolscript.Unavailable,
			[]string{`cannot start "no-such-command"`, "install it"}},
		{"no such folder", func(c *upstream.Config) { c.Dir = "/no/such/folder" }, kit.Patience, toolscript.Unavailable,
			[]string{"working directory", "/no/such/folder"}},
		{"no command", func(c *upstream.Config) { c.Command = "" }, kit.Patience, toolscript.Invalid, []string{`"command"`}},
		{"a problem", func(c *upstream.Config) { c.Problem = errors.New("not trusted") }, kit.Patience, toolscript.Invalid, []string{"not trusted"}},
		{"no address", func(c *upstream.Config) { c.Type = upstream.HTTP }, kit.Patience, toolscript.Invalid, []string{"whole address"}},
		{"no header", func(c *upstream.Config) {
			c.Type, c.URL, c.Headers = upstream.SSE, "http://127.0.0.1:1/", map[string]string{"X": "a\nb"}
		}, kit.Patience, toolscript.Invalid, []string{"header X", "line break"}},
		{"no server at the address", func(c *upstream.Config) { c.Type, c.URL = upstream.HTTP, "http://127.0.0.1:1/?key=0123456789" }, kit.Patience,
			toolscript.Unavailable, []string{"cannot be reached", "refused"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config(t)
			tt.cfg(&cfg)
			err, _ := refused(t, cfg, tt.time)
			if err.Kind != tt.kind {
				t.Errorf("kind %s, want %s", err.Kind, tt.kind)
			}
			wantText(t, "error", err.Error(), tt.text...)
		})
	}
}

func TestDialErrorKeepsStderr(t *testing.T) {
	_, stderr := refused(t, config(t, "noise=100000", "exit=1"), kit.Patience)
	if len(stderr) < 2 || len(stderr) > 100 {
		t.Fatalf("%d lines of stderr", len(stderr))
	}
	if got, want := stderr[len(stderr)-2:], []string{"noise, line 100000", "mcpserver: exit requested"}; !slices.Equal(got, want) {
		t.Errorf("last lines %q, want %q", got, want)
	}
}

func TestCancelledDial(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := mcpclient.Dialer{}.Dial(ctx, "srv", config(t, "silent"), upstream.Events{})
	if toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("Dial: %v of kind %s, want cancelled", err, toolscript.KindOf(err))
	}
}

func TestEndOfTheDialContextIsNotTheEndOfTheConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := mcpclient.Dialer{}.Dial(ctx, "srv", config(t), upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	cancel()
	if got := text(t, c, "echo", `{"text":"alive"}`); got != "alive" {
		t.Errorf("echo = %q", got)
	}
	if err := c.Err(); err != nil {
		t.Errorf("Err of a living connection = %v", err)
	}
}

func TestKilledWithCallsInFlight(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	server, err := os.FindProcess(pid(t, c))
	if err != nil {
		t.Fatal(err)
	}
	var under, calls sync.WaitGroup
	under.Add(100)
	for range 100 {
		calls.Go(func() {
			_, err := c.CallTool(kit.Within(t), "progress", json.RawMessage(`{"steps":1000000,"ms":20}`), sync.OnceFunc(under.Done))
			var e *toolscript.Error
			if !errors.As(err, &e) || e.Kind != toolscript.Unavailable || e.RetryAfter == 0 || !strings.Contains(err.Error(), "signal: killed") {
				t.Errorf("CallTool = %v of kind %s, want unavailable with a time to retry and the signal", err, toolscript.KindOf(err))
			}
		})
	}
	under.Wait()
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
	wantText(t, "Err", awaitLost(t, c).Error(), "signal: killed")
	if _, err := c.CallTool(kit.Within(t), "echo", nil, nil); toolscript.KindOf(err) != toolscript.Unavailable || toolscript.SentOf(err) != toolscript.SentNo {
		t.Errorf("a call after the end: %v, sent %q; want kind unavailable, sent no", err, toolscript.SentOf(err))
	}
}

func TestCrashDuringACall(t *testing.T) {
	for _, tool := range []string{"crash", "crashhalf"} {
		t.Run(tool, func(t *testing.T) {
			c := dial(t, config(t), upstream.Events{})
			_, err := c.CallTool(kit.Within(t), tool, nil, nil)
			if toolscript.KindOf(err) != toolscript.Unavailable {
				t.Errorf("CallTool = %v, want kind unavailable", err)
			}
			wantText(t, "error", err.Error(), "exit status 7", "whether the call was carried out is not known")
			if sent := toolscript.SentOf(err); sent != toolscript.SentUnknown {
				t.Errorf("sent %q", sent)
			}
			if tool == "crash" {
				wantText(t, "error", err.Error(), `meanwhile the server wrote to stderr: "mcpserver: crash requested"`)
			}
			if tool == "crash" && !slices.Contains(c.Stderr(), "mcpserver: crash requested") {
				t.Errorf("Stderr = %q", c.Stderr())
			}
		})
	}
}

func TestLastAnswerOfAnEndingServerIsRead(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	if got := len(text(t, c, "farewell", `{"bytes":5000000}`)); got != 5_000_000 {
		t.Errorf("%d bytes, want 5000000", got)
	}
	wantText(t, "Err", awaitLost(t, c).Error(), "exit status 0")
}

func TestServerThatClosesItsOutput(t *testing.T) {
	c := dial(t, config(t, "closes-output"), upstream.Events{})
	wantText(t, "Err", awaitLost(t, c).Error(), "standard output")
}

func TestServerThatClosesItsInput(t *testing.T) {
	c := dial(t, config(t, "closes-input"), upstream.Events{})
	// Messages that are already in the pipe are lost without an error. Sending the notification of
	// the cancellation fails.
	if _, err := c.CallTool(kit.WithTimeout(t, 200*time.Millisecond), "echo", nil, nil); err == nil {
		t.Error("CallTool: no error")
	}
	wantText(t, "Err", awaitLost(t, c).Error(), "standard input")
	if _, err := c.CallTool(kit.Within(t), "echo", nil, nil); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("CallTool = %v, want kind unavailable", err)
	}
}

func TestCloseKillsAServerThatIgnoresSignals(t *testing.T) {
	c := dial(t, config(t, "ignore-signals"), upstream.Events{})
	start := time.Now()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > pace.Limit(5*time.Second) {
		t.Errorf("Close took %v", took)
	}
	wantText(t, "Err", awaitLost(t, c).Error(), "signal: killed")
}

func TestCloseIsOnce(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	var closers sync.WaitGroup
	for range 10 {
		closers.Go(func() {
			if err := c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	closers.Wait()
	wantText(t, "Err", awaitLost(t, c).Error(), "exit status 0")
}

func TestCommandIsFoundInThePathOfTheServer(t *testing.T) {
	cfg := config(t)
	dir := t.TempDir()
	if err := os.Symlink(cfg.Command, filepath.Join(dir, "my-server")); err != nil {
		t.Skip(err)
	}
	cfg.Command, cfg.Env["PATH"] = "my-server", dir
	dial(t, cfg, upstream.Events{})
}

func TestWorkingDirectory(t *testing.T) {
	cfg := config(t)
	cfg.Dir = t.TempDir()
	var p struct{ Dir string }
	if err := json.Unmarshal([]byte(text(t, dial(t, cfg, upstream.Events{}), "args", "")), &p); err != nil {
		t.Fatal(err)
	}
	if want, err := filepath.EvalSymlinks(cfg.Dir); err != nil || p.Dir != want {
		t.Errorf("the server runs in %s, want %s (%v)", p.Dir, want, err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	dial(t, config(t), upstream.Events{}) // starts the goroutines that are started only once
	before := runtime.NumGoroutine()
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
		c, err := mcpclient.Dialer{}.Dial(ctx, "srv", config(t, []string{"chatty", "noise=100", "exit=1", "version=0"}[i%4]), upstream.Events{})
		cancel()
		if err != nil {
			continue // two of the dials must fail
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	kit.Eventually(t, "as few goroutines as before", func() bool { return runtime.NumGoroutine() <= before })
}
