package proc_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/kit"
)

// begin starts a shell command in its own process group.
func begin(t *testing.T, script string) *proc.Start {
	t.Helper()
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{"sh", "-c", script}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Stdout = theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close() // the child has its own copy
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended already
		_, _ = stdin.Close(), stdout.Close()
		_ = cmd.Wait() // killed, so an error is expected
	})
	s := proc.NewStart(argv)
	s.Process(cmd.Process.Pid, stdout)
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return s
}

// TestActivity: Look counts the CPU time of all processes of a start, even of a child that left the
// group and of children that have ended.
func TestActivity(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"its own":         "while :; do :; done",
		"of a child":      "sh -c 'while :; do :; done' & wait",
		"of a session":    "setsid sh -c 'while kill -0 $PPID; do :; done' & wait; read x",
		"of many in turn": "while :; do sh -c ':'; done",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, script)
			kit.Eventually(t, "CPU time", func() bool { return s.Look().CPU >= 100*time.Millisecond })
		})
	}
	t.Run("none", func(t *testing.T) {
		s := begin(t, "read x")
		if a := s.Look(); !a.Seen || a.Processes != 1 || a.CPU > 100*time.Millisecond || a.Installing {
			t.Errorf("activity of a process that waits = %+v", a)
		}
	})
}
