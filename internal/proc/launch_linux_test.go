package proc_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/test/kit"
)

// begin starts a shell command in its own process group.
func begin(t *testing.T, script string) *proc.Start {
	t.Helper()
	return beginAs(t, "sh", "-c", script)
}

// beginAs starts the shell with a command line of its own.
func beginAs(t *testing.T, argv ...string) *proc.Start {
	t.Helper()
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Args, cmd.Stdout = argv, theirs
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

// TestManagerInEmulation: a package manager is recognized behind the words that QEMU puts before its command line, with
// and without the path of the program.
func TestManagerInEmulation(t *testing.T) {
	npx := filepath.Join(t.TempDir(), "npx")
	server := filepath.Join(t.TempDir(), "server")
	for _, file := range []string{npx, server} {
		if err := os.WriteFile(file, []byte("read x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, lines := range map[bool][][]string{
		true:  {{npx, "-y", "server"}, {npx, "npx", "-y", "server"}, {npx, "npx"}},
		false: {{server, "npx"}, {server, "server", "npx"}, {server}},
	} {
		for _, line := range lines {
			s := beginAs(t, append([]string{"/usr/bin/qemu-aarch64-static"}, line...)...)
			kit.Eventually(t, "the process", func() bool { return s.Look().Processes == 1 })
			if got := s.Look().Installing; got != want {
				t.Errorf("%q behind QEMU installs: %t, want %t", line, got, want)
			}
		}
	}
}
