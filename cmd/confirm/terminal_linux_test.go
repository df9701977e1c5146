package confirm_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/test/kit"
)

var request = toolscript.Approval{
	ID: "apr_abc", Run: "run_1", Tool: "files__write", Args: `{"path":"a"}`, Since: time.Unix(0, 0), Expires: time.Unix(60, 0),
}

// process starts a shell that waits. If own is set, its controlling terminal is a new one.
func process(t *testing.T, own bool, env ...string) (pid int, screen func() string) {
	t.Helper()
	c := exec.Command("sh", "-c", "echo; read x")
	c.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	in, typed := io.Pipe()
	t.Cleanup(func() { _ = typed.Close() })
	ready, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin, c.Stdout = in, out
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if own {
		terminal := kit.NewTerminal(t, 80)
		c.ExtraFiles, screen = []*os.File{terminal.Screen}, terminal.Shown
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = out.Close() // the shell has its own copy
	t.Cleanup(func() {
		_ = typed.Close() // ends the shell
		_ = c.Wait()
		_ = ready.Close() // only read, so an error is harmless
	})
	if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid, screen
}

// TestAtTerminal: a code is shown at the terminal of a person, but not to a process without a
// terminal or to a process of an agent, even if that has two terminals.
func TestAtTerminal(t *testing.T) {
	person, screen := process(t, true)
	show, err := confirm.AtTerminal(person)
	if agent := confirm.AgentAbove(os.Getpid()); agent != "" { // the test runs below an agent
		if err == nil {
			t.Errorf("a process below %s is taken for a person", agent)
		}
	} else if err != nil {
		t.Errorf("the terminal of a person: %v", err)
	} else {
		show(request, "ABCDEF")
		kit.Shows(t, screen, "code: ABCDEF")
	}
	pipes, _ := process(t, false)
	agent, _ := process(t, true, "CLAUDECODE=1")
	second, _ := process(t, true, "AI_AGENT=x")
	for name, pid := range map[string]int{"no terminal": pipes, "a terminal of an agent": agent, "a second terminal of an agent": second, "no process": 1 << 30} {
		if _, err := confirm.AtTerminal(pid); toolscript.KindOf(err) != toolscript.Forbidden {
			t.Errorf("%s: %v, want forbidden", name, err)
		}
	}
}
