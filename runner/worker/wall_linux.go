package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// lockDown puts up the wall between what a script may have taken over and the
// system, in the order that each part needs, and names its parts. It runs when
// the worker has everything it needs.
func lockDown() ([]string, error) {
	wall, err := limitResources()
	if err != nil {
		return nil, err
	}
	// Nobody of the same user reads this process's memory, nor it theirs.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("PR_SET_DUMPABLE: %w", err)
	}
	wall = append(wall, "dumpable=0")
	if given, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || given != 1 {
		return nil, errors.Join(errors.New("the worker was started with the privilege to gain privileges"), err)
	}
	return append(wall, "no_new_privs"), nil
}

// startPlain starts a worker that cannot gain privileges by executing a
// set-user-ID program. The property belongs to a thread and passes to what the
// thread starts. A Go program cannot set it in all of its threads when it is
// built with cgo; so the worker gets it from the thread that starts it, and that
// thread is thrown away.
func startPlain(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			result <- fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
			return
		}
		result <- cmd.Start()
	}()
	return <-result
}
