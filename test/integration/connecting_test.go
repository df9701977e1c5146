//go:build integration && linux

package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// silent returns the arguments of an npx whose grandchild never answers and ignores SIGTERM. The
// number of seconds identifies its processes.
func silent(seconds int) []string {
	return []string{"--no-install", "-c", fmt.Sprintf("trap '' TERM; sleep %d; sleep %d", seconds, seconds)}
}

// sleepers returns the processes of a silent server below another process: those with the sleep in
// their arguments, and their parents, because npx changes its own name.
func sleepers(below, seconds int) []harness.Process {
	all := harness.Descendants(below)
	belongs := map[int]bool{}
	for _, p := range all {
		if strings.Contains(strings.Join(p.Args, " "), fmt.Sprintf("sleep %d", seconds)) {
			belongs[p.PID], belongs[p.Parent] = true, true
		}
	}
	return slices.DeleteFunc(all, func(p harness.Process) bool { return !belongs[p.PID] })
}

// asleep waits until the grandchild of a silent server runs.
func asleep(t *testing.T, below, seconds int) []harness.Process {
	t.Helper()
	var all []harness.Process
	err := harness.Until(t.Context(), func() (bool, error) {
		all = sleepers(below, seconds)
		return slices.ContainsFunc(all, func(p harness.Process) bool { return p.Args[0] == "sleep" }), nil
	})
	if err != nil {
		t.Fatalf("%v; there are %+v", err, all)
	}
	if len(all) < 3 {
		t.Fatalf("only %d processes, want npx, a shell and what it runs: %+v", len(all), all)
	}
	return all
}

func gone(t *testing.T, all []harness.Process) {
	t.Helper()
	if harness.Until(t.Context(), func() (bool, error) { return len(harness.Alive(all)) == 0, nil }) != nil {
		t.Errorf("left running: %+v", harness.Alive(all))
	}
}

// TestNoProcessOutlivesItsConnecting aborts a connection attempt in each possible way while the
// grandchild of the server runs and has not answered.
func TestNoProcessOutlivesItsConnecting(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts four gateways that wait")
	}
	for name, end := range map[string]func(g *harness.Gateway, p harness.Program) error{
		"SIGTERM": func(g *harness.Gateway, _ harness.Program) error { return g.Signal(syscall.SIGTERM) },
		"SIGKILL": func(g *harness.Gateway, _ harness.Program) error { return g.Signal(syscall.SIGKILL) },
		"a configuration without it": func(g *harness.Gateway, p harness.Program) error {
			return reload(g, p, `{"mcpServers": {}}`)
		},
		"a configuration with another": func(g *harness.Gateway, p harness.Program) error {
			return reload(g, p, silentConfig(6543))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(t)
			path := p.Configured(t, silentConfig(6542))
			g, err := p.StartGateway(context.WithoutCancel(t.Context()), "--config", path)
			if err != nil {
				t.Fatal(err)
			}
			below := asleep(t, g.PID(), 6542)
			if err := end(g, p); err != nil {
				t.Fatal(err)
			}
			gone(t, below)
			if name == "a configuration with another" {
				below = asleep(t, g.PID(), 6543)
			}
			_ = g.Stop() // it may have ended already
			gone(t, below)
		})
	}
}

func silentConfig(seconds int) string {
	args := silent(seconds)
	return fmt.Sprintf(`{"mcpServers": {"silent": {"command": "npx", "args": [%q, %q, %q]}}}`, args[0], args[1], args[2])
}

func reload(g *harness.Gateway, p harness.Program, config string) error {
	if _, err := p.Config("config.json", config); err != nil {
		return err
	}
	return g.Signal(syscall.SIGHUP)
}

// TestFailedConnects lets a connection attempt reach its time limit.
func TestFailedConnects(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	ctx, tooLate := context.WithCancelCause(t.Context())
	defer tooLate(nil)
	ended := make(chan error, 1)
	go func() {
		_, err := mcpclient.Dialer{}.Dial(ctx, "silent", upstream.Config{Type: upstream.Stdio, Command: "npx", Args: silent(6544)}, upstream.Events{})
		ended <- err
	}()
	below := asleep(t, syscall.Getpid(), 6544)
	tooLate(context.DeadlineExceeded)
	if err := <-ended; toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("Dial = %v, want a timeout", err)
	}
	if alive := harness.Alive(below); len(alive) > 0 {
		t.Errorf("left running after Dial: %+v", alive)
	}
}
