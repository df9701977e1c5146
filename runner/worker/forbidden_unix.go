//go:build unix

package worker

import (
	"os"
	"syscall"
)

// forbidden reports whether the system ended a process because it made a system
// call that its wall answers with the end.
func forbidden(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGSYS
}
