package proc_test

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/internal/proc"
)

// TestMain lets the test binary also run as the second process and as the program that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case proc.Command:
			os.Exit(proc.Main())
		case "program":
			os.Exit(program(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// program runs a shell command as a server and prints the output of the server. Then it waits until
// it is killed, or ends normally after a line on its standard input. When the group of the server is
// watched, program writes a line to the server. Further arguments change the circumstances.
func program(args []string) int {
	if slices.Contains(args, "without a shell") {
		proc.WithoutShell()
	}
	r := proc.NewReaper(slog.Default())
	if slices.Contains(args, "after a pause") {
		if err := pause(r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	shell := exec.Command("sh", "-c", args[0])
	shell.Env = append(os.Environ(), r.Begin()...)
	shell.Stdout = os.Stdout
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := shell.StdinPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r.Watch(shell.Process.Pid, nil)
	if slices.Contains(args, "removed") {
		if err := os.Remove(os.Args[0]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	_, _ = stdin.Write([]byte("watched\n")) // most commands do not read it
	go func() { _ = shell.Wait() }()        // reap the leader; the group may outlive it
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	r.Close()
	return 0
}

// pause starts a server that ends, and waits until the unused second process has ended.
func pause(r *proc.Reaper) error {
	r.SetUnusedTime(time.Millisecond)
	defer r.SetUnusedTime(time.Minute)
	first := exec.Command("sh", "-c", "read watched")
	first.Env = append(os.Environ(), r.Begin()...)
	first.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := first.StdinPipe()
	if err == nil {
		err = first.Start()
	}
	if err != nil {
		return err
	}
	r.Watch(first.Process.Pid, nil)
	_, err = stdin.Write([]byte("watched\n"))
	if err = errors.Join(err, first.Wait()); err != nil {
		return err
	}
	r.Forget(first.Process.Pid)
	for r.Running() {
		time.Sleep(time.Millisecond)
	}
	return nil
}

// TestUnused checks that the second process runs while a server, or a process that a server has left,
// runs, and that it is started again for the next server.
func TestUnused(t *testing.T) {
	r := proc.NewReaper(slog.New(slog.DiscardHandler))
	defer r.Close()
	for range 3 {
		server := exec.CommandContext(t.Context(), "sh", "-c", "setsid sleep 600 & echo $!; read until")
		server.Env = append(os.Environ(), r.Begin()...)
		server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		stdin, err := server.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := server.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		r.Watch(server.Process.Pid, nil)
		var left int
		if _, err := fmt.Fscan(stdout, &left); err != nil {
			t.Fatal(err)
		}
		fd, err := unix.PidfdOpen(left, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd) //nolint:errcheck // only used for waiting
		if r.EndUnused(); !r.Running() {
			t.Error("the second process has ended before the server")
		}
		if err := stdin.Close(); err != nil {
			t.Fatal(err)
		}
		_ = server.Wait() // the server ends at the end of its input
		r.Forget(server.Process.Pid)
		if r.EndUnused(); !r.Running() {
			t.Error("the second process has ended before a process that the server left")
		}
		if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil {
			t.Fatal(err)
		}
		(&running{server: fd}).awaitEnd(t)
		if r.EndUnused(); r.Running() {
			t.Error("the second process runs without a server")
		}
	}
}

// TestAfterTheProgram checks that no process outlives the program, however the program ends.
func TestAfterTheProgram(t *testing.T) {
	servers := map[string]string{
		"a server":                             `echo $$; exec sleep 600`,
		"a child of it":                        `sleep 600 & echo $!; wait`,
		"one that ignores SIGTERM":             `trap "" TERM; echo $$; while :; do sleep 600; done`,
		"one without the environment":          `read watched; exec env -i sh -c 'echo $$; exec sleep 600'`, // until then, it can be found only by its mark
		"one in a session of its own":          `setsid sh -c 'echo $$; exec sleep 600' & wait`,
		"an orphan in a session of its own":    `setsid sh -c 'echo $$; exec sleep 600' & exit`,
		"an orphan that ignores what it hears": `setsid sh -c 'trap "" HUP TERM INT; echo $$; while :; do sleep 600; done' & exit`,
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Run("killed", func(t *testing.T) {
				t.Parallel()
				p := start(t, server)
				p.kill(t)
				p.awaitEnd(t)
			})
			t.Run("ended in order", func(t *testing.T) {
				t.Parallel()
				p := start(t, server)
				p.finish(t)
				p.awaitEnd(t)
			})
		})
	}
}

// TestCircumstances checks that a program's processes are ended on a system without a shell, and
// after the program's file was removed.
func TestCircumstances(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, circumstance := range []string{"without a shell", "removed", "after a pause"} {
		t.Run(circumstance, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(file, text, 0o700); err != nil {
				t.Fatal(err)
			}
			t.Parallel() // only now: before, the fork of another test could inherit the file open for writing, and executing it would fail
			p := startProgram(t, file, `setsid sh -c 'echo $$; exec sleep 600' & wait`, circumstance)
			p.kill(t)
			p.awaitEnd(t)
		})
	}
}

// TestEndedGroupsAreNotSignalled checks that a forgotten process group gets no signal, because
// another group may reuse its number.
func TestEndedGroupsAreNotSignalled(t *testing.T) {
	bystander := exec.CommandContext(t.Context(), "sleep", "600")
	bystander.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	r := proc.NewReaper(slog.New(slog.DiscardHandler))
	r.Begin()
	r.Watch(bystander.Process.Pid, nil)
	r.Forget(bystander.Process.Pid)
	r.Close()
	if err := syscall.Kill(bystander.Process.Pid, 0); err != nil {
		t.Errorf("a forgotten process: %v", err)
	}
	if err := bystander.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = bystander.Wait()
}

// running is a program that has started a server.
type running struct {
	cmd    *exec.Cmd
	stdin  *os.File
	server int // a pidfd: readable when the process has ended
}

func start(t *testing.T, server string) *running {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startProgram(t, self, server)
}

func startProgram(t *testing.T, file, server string, circumstances ...string) *running {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), file, append([]string{"program", server}, circumstances...)...)
	cmd.Env = append(cmd.Environ(), "GORACE=atexit_sleep_ms=50") // otherwise the race detector delays the end of a process by a second
	cmd.Stderr = os.Stderr
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = read
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		_ = unix.Close(fd)
		_ = write.Close()
		_ = read.Close()
	})
	return &running{cmd, write, fd}
}

func (p *running) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // the error is "signal: killed"
}

func (p *running) finish(t *testing.T) {
	t.Helper()
	if _, err := p.stdin.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
}

// awaitEnd waits for the end of the server.
func (p *running) awaitEnd(t *testing.T) {
	t.Helper()
	state := []unix.PollFd{{Fd: int32(p.server), Events: unix.POLLIN}}
	n, err := unix.Poll(state, 20_000)
	for err == unix.EINTR {
		n, err = unix.Poll(state, 20_000)
	}
	if n != 1 || err != nil {
		t.Errorf("the server has not ended: %d, %v", n, err)
	}
}

// TestHold checks that a lock of the program is held until its servers have ended.
func TestHold(t *testing.T) {
	locked, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(locked.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	r := proc.NewReaper(slog.New(slog.DiscardHandler), locked)
	r.Begin()
	_ = locked.Close() // like the end of the program
	again, err := os.Open(locked.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close() //nolint:errcheck // only locked
	if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("lock while the reaper runs: %v, want %v", err, syscall.EWOULDBLOCK)
	}
	r.Close()
	if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Errorf("lock after the reaper: %v", err)
	}
}
