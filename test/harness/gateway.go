//go:build linux

// Package harness runs the built program as a separate process, for tests and
// measurements that examine it from outside.
package harness

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fixture/engine"
	"github.com/toolscript/toolscript/test/fixture/race"
)

// Program is a built toolscript with its home folder.
type Program struct {
	Bin  string   // absolute path of the program
	Home string   // HOME of all processes; data, caches and runtime folder are below it
	Env  []string // NAME=VALUE, in addition to the variables that every program gets
	Dir  string   // working directory; "" is Home

	words bool // whether it searches by words only
}

// Command returns a command that runs the program with arguments in its environment.
func (p Program) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.Bin, args...)
	cmd.Env = append([]string{
		"HOME=" + p.Home, "PATH=" + filepath.Dir(p.Bin) + ":" + os.Getenv("PATH"),
		"TOOLSCRIPT_RUNTIME_DIR=" + filepath.Join(p.Home, "run"), "NO_COLOR=1", race.Env,
	}, p.Env...)
	if p.words {
		cmd.Env = append([]string{"TOOLSCRIPT_SEARCH_SEMANTIC=off"}, cmd.Env...)
	}
	cmd.Dir = cmp.Or(p.Dir, p.Home)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	return cmd
}

// Quick returns a program in a new home folder that needs little processor time: its script engine is
// already compiled, and it searches by words unless a variable says otherwise. Under the race
// detector, compiling and semantic search would take seconds.
func Quick(bin, home string, env ...string) (Program, error) {
	return Program{Bin: bin, Home: home, Env: env, words: true}, engine.Link(bin, filepath.Join(home, ".toolscript"))
}

// Config writes a configuration file and returns its path.
func (p Program) Config(name, text string) (string, error) {
	path := filepath.Join(p.Home, name)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// Configured writes the configuration of a test and returns its path.
func (p Program) Configured(tb testing.TB, text string) string {
	tb.Helper()
	path, err := p.Config("config.json", text)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Gateway is a running `toolscript gateway start`.
type Gateway struct {
	URL string // with its capability
	cmd *exec.Cmd
	log *os.File
}

// StartGateway starts a gateway and returns when it has printed its URL. Several gateways with the
// same configuration may run at the same time.
func (p Program) StartGateway(ctx context.Context, args ...string) (*Gateway, error) {
	log, err := os.OpenFile(filepath.Join(p.Home, "gateway.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := p.Command(ctx, append([]string{"gateway", "start", "--port", "0", "--force"}, args...)...)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "export TOOLSCRIPT_GATEWAY_URL="); ok {
			return &Gateway{URL: url, cmd: cmd, log: log}, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("the gateway printed no URL; its log is %s", log.Name()), cmd.Wait(), log.Close())
}

// Serve starts a gateway for a test, and stops it at the end of the test unless it has ended. It logs the end of the
// gateway's log if the test has failed.
func (p Program) Serve(tb testing.TB, args ...string) *Gateway {
	tb.Helper()
	g, err := p.StartGateway(context.WithoutCancel(tb.Context()), args...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if g.Running() {
			if err := g.Stop(); err != nil {
				tb.Errorf("the gateway ended with %v", err)
			}
		}
		if log := g.Log(); tb.Failed() {
			tb.Logf("the end of the gateway's log:\n%s", log[max(0, len(log)-8000):])
		}
	})
	return g
}

// PID returns the process id of the gateway.
func (g *Gateway) PID() int { return g.cmd.Process.Pid }

// Log returns what the gateway has printed to stderr so far.
func (g *Gateway) Log() string {
	text, err := os.ReadFile(g.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Signal sends a signal to the gateway.
func (g *Gateway) Signal(s os.Signal) error { return g.cmd.Process.Signal(s) }

// Running reports whether Wait has not returned yet.
func (g *Gateway) Running() bool { return g.cmd.ProcessState == nil }

// Wait waits for the end of the gateway.
func (g *Gateway) Wait() error { return errors.Join(g.cmd.Wait(), g.log.Close()) }

// Stop ends the gateway with SIGTERM.
func (g *Gateway) Stop() error {
	if err := g.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return g.Wait()
}

// Get makes a GET request and decodes the JSON answer into into, unless that is nil.
func (g *Gateway) Get(ctx context.Context, path string, into any) (status int, err error) {
	return g.do(ctx, http.MethodGet, path, nil, into)
}

// Post sends a JSON body and decodes the JSON answer into into, unless that is nil.
func (g *Gateway) Post(ctx context.Context, path string, body, into any) (status int, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	return g.do(ctx, http.MethodPost, path, text, into)
}

func (g *Gateway) do(ctx context.Context, method, path string, body []byte, into any) (int, error) {
	resp, err := g.send(ctx, method, path, body)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(resp.Body)
	if err != nil || into == nil {
		return resp.StatusCode, err
	}
	return resp.StatusCode, json.Unmarshal(text, into)
}

func (g *Gateway) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, g.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return http.DefaultClient.Do(req)
}

// Exec runs a script in the gateway and returns its events.
func (g *Gateway) Exec(ctx context.Context, request map[string]any) ([]map[string]any, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	resp, err := g.send(ctx, http.MethodPost, "/exec", text)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	var events []map[string]any
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 { // a heartbeat
			continue
		}
		var event map[string]any
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return events, fmt.Errorf("%w in %q", err, lines.Text())
		}
		events = append(events, event)
	}
	return events, lines.Err()
}

// Ready waits until every server is connected.
func (g *Gateway) Ready(ctx context.Context) error {
	return Until(ctx, func() (bool, error) {
		status, err := g.Get(ctx, "/ready", nil)
		return status == http.StatusOK, err
	})
}

// Until repeats a check, with a short pause, until it succeeds or fails, a minute passes, or ctx ends.
func Until(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		yes, err := done()
		if yes || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waited a minute in vain: %w", ctx.Err())
		}
	}
}
