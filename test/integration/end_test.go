//go:build integration && linux

package integration

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// endless starts a run that does not end, and returns when it runs. The channel gets the error of its request.
func endless(t *testing.T, g *harness.Gateway) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := g.Exec(t.Context(), map[string]any{"code": "for (;;);"})
		ended <- err
	}()
	err := harness.Until(t.Context(), func() (bool, error) {
		var runs []struct{ State string }
		_, err := g.Get(t.Context(), "/runs", &runs)
		return len(runs) == 1 && runs[0].State == "running", err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

// TestNoProcessIsLeft ends a gateway in the middle of a run.
func TestNoProcessIsLeft(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			g := gateway(t, servers(t))
			ready(t, g)
			running := endless(t, g)
			below := harness.Descendants(g.PID())
			if len(below) < 5 {
				t.Fatalf("only %d processes below a gateway with three servers and two workers", len(below))
			}
			if err := g.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := g.Wait(); err != nil {
				t.Errorf("the gateway ended with %v", err)
			}
			<-running
			if left := harness.Alive(below); len(left) > 0 {
				t.Errorf("left running: %+v", left)
			}
		})
	}
}

// TestCtrlCEndsAnInProcessRun interrupts exec while it runs its own gateway.
func TestCtrlCEndsAnInProcessRun(t *testing.T) {
	p := program(t)
	config := p.Configured(t, servers(t))
	cmd := p.Command(t.Context(), "--config", config, "exec",
		`import { tools } from "toolscript"; await tools.everything.echo({ message: "x" }); console.log("running"); await new Promise(() => setInterval(() => {}, 1000));`)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, len("running\n"))
	if _, err := out.Read(first); err != nil || string(first) != "running\n" {
		t.Fatalf("first output %q, %v\n%s", first, err, errs.String())
	}
	below := harness.Descendants(cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 {
		t.Errorf("exec ended with %v, want exit status 130\n%s", err, errs.String())
	}
	if left := harness.Alive(below); len(left) > 0 {
		t.Errorf("left running: %+v", left)
	}
}
