//go:build unix

package worker

import (
	"os"
	"syscall"
)

// forbidden reports whether the kernel killed the process for a forbidden system call.
func forbidden(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGSYS
}
