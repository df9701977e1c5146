package worker

import (
	"fmt"
	"syscall"

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
	if noNewPrivileges() {
		wall = append(wall, "no_new_privs")
	}
	return wall, nil
}

// noNewPrivileges gives up set-user-ID programs, in every thread. Programs
// built with cgo, those of the race detector among them, cannot do that: then
// it is not claimed.
func noNewPrivileges() bool {
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	return errno == 0
}
