//go:build unix

package reaper

import (
	"os/exec"
	"syscall"
)

const supported = true

// ProcessName is the name of the second process: not the program's, so that a `killall toolscript` leaves the
// process that has to clean up after it.
const ProcessName = "mcp-reaper"

func leadSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// signal sends s to all that is left and reports whether there was anything; the
// signal 0 only looks.
func (r *remains) signal(s syscall.Signal) bool {
	found := signalMarked(r.mark, s)
	for leader := range r.groups {
		if syscall.Kill(-leader, s) == nil {
			found = true
		}
	}
	return found
}
