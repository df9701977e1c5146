package tether

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/landlock"
)

// lifeline ends processes together with the gateway: its read end asks the
// kernel for a signal when nobody holds the write end any more, and that signal
// is SIGKILL. The write end is held by this process alone, as long as it lives.
// PR_SET_PDEATHSIG is no way, as it watches the thread that started the process.
type lifeline struct{ read, write *os.File }

func newLifeline() (*lifeline, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &lifeline{read, write}, nil
}

// hold ties a process to the lifeline. It shares the open read end, of which one
// owner is told: so each process has a lifeline of its own.
func (l *lifeline) hold(pid int) error {
	fd := l.read.Fd()
	if _, err := unix.FcntlInt(fd, unix.F_SETOWN, pid); err != nil {
		return fmt.Errorf("F_SETOWN: %w", err)
	}
	if _, err := unix.FcntlInt(fd, unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return fmt.Errorf("F_SETSIG: %w", err)
	}
	flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(fd, unix.F_SETFL, flags|unix.O_ASYNC)
	}
	if err != nil {
		return fmt.Errorf("O_ASYNC: %w", err)
	}
	return nil
}

// Start starts a process in a group of its own that can gain no privileges,
// reaches what access says where the kernel has Landlock, and ends with this one;
// walled says whether it has. The caller waits for it, and then calls release. The
// wall belongs to a thread and passes to what the thread starts: that thread is
// thrown away.
func Start(cmd *exec.Cmd, access landlock.Access) (release func(), walled bool, err error) {
	line, err := newLifeline()
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			_ = line.write.Close()
		}
		_ = line.read.Close() // the process has it
	}()
	cmd.ExtraFiles = []*os.File{line.read}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			result <- fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
			return
		}
		err := landlock.RestrictThread(access)
		if err != nil && !errors.Is(err, landlock.ErrNotHere) {
			result <- fmt.Errorf("landlock: %w", err)
			return
		}
		walled = err == nil // read after result has been received
		result <- cmd.Start()
	}()
	if err := <-result; err != nil {
		return nil, false, err
	}
	if err := line.hold(cmd.Process.Pid); err != nil {
		Kill(cmd.Process)
		_ = cmd.Wait()
		return nil, false, err
	}
	return func() { _ = line.write.Close() }, walled, nil
}
