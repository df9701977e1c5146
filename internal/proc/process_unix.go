//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

const supported = true

// ProcessName is the name of the second process. It differs from the program's, so
// that `killall toolscript` spares the process that cleans up.
const ProcessName = "mcp-reaper"

// shell waits for the end of the program, if this shell exists.
var shell = "/bin/sh"

// wait is the script of the shell: it waits for the end of the program. If the program has
// written nothing, it executes the program with Command. Where there is /proc, it also sets
// the name of the process.
const wait = `trap '' INT TERM HUP; { echo ` + ProcessName + ` >/proc/self/comm; } 2>/dev/null; read -r _ || exec "$0" ` + Command

// command returns the command of the second process. self is the path of this program.
func command(self string) *exec.Cmd {
	if _, err := os.Stat(shell); err != nil {
		return exec.Command(self, Command) //nolint:noctx // this program; no context may end it before us
	}
	return exec.Command(shell, "-c", wait, inherited(self)) //nolint:gosec,noctx // the same
}

func leadSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// signal sends s to all processes that are left and reports whether there were any;
// the signal 0 only checks.
func (r *remains) signal(s syscall.Signal) bool {
	found := signalMarked(r.mark, s, r.spared)
	for _, leader := range r.groups {
		if syscall.Kill(-leader, s) == nil {
			found = true
		}
	}
	return found
}
