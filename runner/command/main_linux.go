package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/internal/landlock"
)

// devices are the files in /dev that any program may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// Confinement reports what holds for programs on this machine.
func Confinement() []toolscript.Confinement {
	files := confine.Kernel()
	files.Name = filesName
	return []toolscript.Confinement{files}
}

// start starts the program from a thread with the restrictions, which the program
// inherits. The thread ends afterwards.
func (o order) start(cmd *exec.Cmd, temp string) (parts []toolscript.Confinement, err error) {
	access := landlock.Access{
		Read:    []string{"/"},
		Write:   append(append([]string{o.Root, temp}, devices...), o.Writable...),
		Network: o.Network,
	}
	done := make(chan struct{})
	go onOtherThread(func() {
		defer close(done)
		if parts, err = restrict(access); err == nil {
			err = cmd.Start()
		}
	})
	<-done
	return parts, err
}

// restrict restricts the calling thread.
func restrict(access landlock.Access) ([]toolscript.Confinement, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
	}
	if err := dropTracing(); err != nil {
		return nil, fmt.Errorf("drop capabilities: %w", err)
	}
	parts := Confinement()
	if parts[0].Active {
		if err := landlock.RestrictThread(access); err != nil {
			return nil, fmt.Errorf("landlock: %w", err)
		}
	}
	if access.Network {
		return append(parts, toolscript.Confinement{Name: "network", Detail: "the configuration allows it"}), nil
	}
	network, err := confine.Sockets()
	return append(parts, network), err
}

// onOtherThread runs f on a thread that ends with the calling goroutine, and that is not
// the main thread: a restricted main thread would let the program send signals to this
// process.
func onOtherThread(f func()) {
	runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOtherThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

// adoptOrphans makes this process the parent of descendants that lose theirs. An error
// means a kernel that is older than Linux 3.4.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitExit waits for the end of a child without reaping it.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// endDescendants kills all children until there is none. Each end makes the children of
// that process children of this one.
func endDescendants() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR), pid > 0:
			continue
		case err != nil: // ECHILD
			return
		}
		killChildren()
		time.Sleep(time.Millisecond) // until the kernel has ended them
	}
}

// killChildren kills the processes whose parent is this one.
func killChildren() {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	self := strconv.Itoa(os.Getpid())
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The name of the program is in brackets and may have any characters.
		_, rest, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
		if fields := bytes.Fields(rest); len(fields) > 1 && string(fields[1]) == self {
			_ = syscall.Kill(pid, syscall.SIGKILL) // a child that has not been reaped keeps its number
		}
	}
}
