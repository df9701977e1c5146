//go:build unix

package deno

import (
	"os"
	"syscall"
)

// Kill kills a process that Start started, and its process group.
func Kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // ESRCH: all have ended
}
