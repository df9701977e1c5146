package notify

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
)

// Install makes the system calls of rules wait for answers of the returned listener, for the
// calling thread and every process that it starts. The caller must have locked the goroutine
// to the thread and set PR_SET_NO_NEW_PRIVS. Filters that were installed before stay, and
// more can follow: if one of them refuses a call, there is no notification. A thread can have
// only one listener.
//
// The listener must be passed to another process by Send. That process must serve it before
// this thread makes one of these calls.
func Install(rules []Rule) (listener int, err error) {
	if confine.Architecture == 0 {
		return -1, fmt.Errorf("%w: not implemented for %s", ErrNotHere, runtime.GOARCH)
	}
	filter := instructions(rules)
	// Since Linux 5.19, a call that was received need not be interrupted by signals, of which
	// Go's scheduler sends many.
	for _, flags := range []uintptr{unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER} {
		var fd uintptr
		if fd, err = confine.Install(filter, flags); err == nil {
			return int(fd), nil
		}
		if !errors.Is(err, unix.EINVAL) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.EBUSY):
		return -1, fmt.Errorf("%w: another program receives the system calls of this one already, such as the runtime of a container", ErrNotHere)
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		return -1, fmt.Errorf("%w: Linux 5.9 and newer do, unless built without seccomp", ErrNotHere)
	}
	return -1, fmt.Errorf("%w: %w", ErrNotHere, err)
}

// Send passes a listener to the process at the other end of a socket, and closes both. It
// uses another thread, because calls of this thread may have to wait for the receiver.
func Send(socket, listener int) error {
	sent := make(chan error)
	go func() {
		err := unix.Sendmsg(socket, []byte{0}, unix.UnixRights(listener), nil, 0)
		sent <- errors.Join(err, unix.Close(listener), unix.Close(socket))
	}()
	if err := <-sent; err != nil {
		return fmt.Errorf("hand the listener over: %w", err)
	}
	return nil
}

// Pair returns two connected sockets: one for Receive, and one that the helper inherits.
func Pair() (parent, child *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "parent"), os.NewFile(uintptr(fds[1]), "child"), nil
}

// Probe returns an error if Install and Serve do not work on this machine. It tries them on a
// thread of this process, which ends afterwards.
func Probe() error {
	listeners := make(chan int)
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			failed <- fmt.Errorf("%w: PR_SET_NO_NEW_PRIVS: %w", ErrNotHere, err)
			return
		}
		fd, err := Install([]Rule{{Number: unix.SYS_GETPPID}})
		if err != nil {
			failed <- err
			return
		}
		listeners <- fd
		// Not RawSyscall: it would hold the processor that Serve may need.
		got, _, errno := unix.Syscall(unix.SYS_GETPPID, 0, 0, 0)
		if got != probed || errno != 0 {
			failed <- fmt.Errorf("%w: the probe got %d, %w", ErrNotHere, got, errno)
			return
		}
		failed <- nil
	}()
	select {
	case err := <-failed:
		return err
	case fd := <-listeners:
		l, err := newListener(fd)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotHere, err)
		}
		served := make(chan error, 1)
		go func() { served <- l.Serve(func(*Call) Answer { return Return(probed) }) }()
		select {
		case err = <-failed:
			return errors.Join(err, l.Close(), <-served)
		case err = <-served: // without an answer, the call fails when the listener is closed
			return errors.Join(err, l.Close(), <-failed)
		}
	}
}

const probed = 7_777_777 // no process has this id: the maximum is 4 million
