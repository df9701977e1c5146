package cli

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// first does the work of process 1, for example in a container that runs only this program: it starts this
// program as a child and passes signals on to it. Process 1 becomes the parent of the processes that servers
// leave behind, and waits for each, so that no zombies remain. is is false in any other process, and if the
// child cannot be started: this process then runs the program itself.
func first() (code int, is bool) {
	if os.Getpid() != 1 {
		return 0, false
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals)
	child, err := startAgain()
	if err != nil {
		signal.Reset()
		fmt.Fprintf(os.Stderr, "toolscript: process 1 does not wait for the processes that servers leave behind: %v\n", err)
		return 0, false
	}
	go func() {
		for s := range signals {
			if !slices.Contains(ofFirst, s) {
				_ = child.Signal(s) // it may have ended
			}
		}
	}()
	return collect(child.Pid), true
}

// ofFirst are the signals that concern process 1 itself and are not passed on: a child has changed, it has
// written to a closed pipe, or the runtime interrupts a goroutine.
var ofFirst = []os.Signal{syscall.SIGCHLD, syscall.SIGPIPE, syscall.SIGURG}

// startAgain starts this program with the arguments of this process. At a terminal, only the child gets the
// signal of Ctrl-C; otherwise it would get the signal twice.
func startAgain() (*os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	group := &syscall.SysProcAttr{Setpgid: true}
	if terminal.Is(os.Stdin) {
		group.Foreground, group.Ctty = true, 0
	}
	return os.StartProcess(self, os.Args, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Env: os.Environ(), Sys: group}) //nolint:gosec // it starts itself again
}

// collect waits for all children until the child pid has ended, and returns the exit code of that child.
func collect(pid int) int {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR || err == nil && ended != pid:
		case err != nil:
			return app.Failure
		case status.Signaled():
			return (&app.SignalError{Signal: status.Signal()}).Code()
		default:
			return status.ExitStatus()
		}
	}
}
