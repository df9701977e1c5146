package deno

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
)

// lifeline is a pipe that kills a process when the gateway ends. The gateway, which is this
// process, holds the write end. When it closes, the kernel sends SIGKILL to the owner of the
// read end. PR_SET_PDEATHSIG does not work: it reacts to the end of the thread that started
// the process.
type lifeline struct{ read, write *os.File }

func newLifeline() (*lifeline, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &lifeline{read, write}, nil
}

// hold makes a process the owner of the read end. A pipe has only one owner, so each process
// needs its own lifeline.
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

// Start starts a process in its own process group. The process cannot gain privileges and
// ends with this process. If the kernel has Landlock and filters of system calls, which
// confined reports, the process only reaches what access lists. The caller waits for the
// process, and then calls release. Restrictions belong to a thread, and processes inherit
// them from it, so Start uses a thread that ends afterwards.
func Start(cmd *exec.Cmd, access confine.LandlockAccess) (release func(), confined Confined, err error) {
	line, err := newLifeline()
	if err != nil {
		return nil, Confined{}, err
	}
	defer func() {
		if err != nil {
			_ = line.write.Close()
		}
		_ = line.read.Close() // the process has its own copy
	}()
	cmd.ExtraFiles = []*os.File{line.read}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	result := make(chan error)
	go onOwnThread(func() {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			result <- fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
			return
		}
		err := confine.RestrictThread(access)
		if err != nil && !errors.Is(err, confine.ErrNoLandlock) {
			result <- fmt.Errorf("landlock: %w", err)
			return
		}
		confined.Files = err == nil // only read after result has been received
		// Landlock cannot restrict sockets other than TCP, times of files, watches and priorities.
		calls, err := confine.Program(confine.Rules{Sockets: confine.ProxyOnly})
		if err != nil {
			result <- err
			return
		}
		confined.Calls = calls.Active
		result <- cmd.Start()
	})
	if err := <-result; err != nil {
		return nil, Confined{}, err
	}
	if err := line.hold(cmd.Process.Pid); err != nil {
		Kill(cmd.Process)
		_ = cmd.Wait()
		return nil, Confined{}, err
	}
	return func() { _ = line.write.Close() }, confined, nil
}

// onOwnThread runs f on a thread that ends with the calling goroutine. It never uses the main
// thread: that thread does not end, and restrictions on it would put this process into the
// restricted domain, so that a child could send it signals.
func onOwnThread(f func()) {
	runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // this goroutine holds the main thread, so f gets another one
		defer close(done)
		onOwnThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}
