//go:build unix

package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

const supported = true

// ProcessName is the name of the second process. It differs from the name of the program, so
// that `killall toolscript` does not end the process that cleans up.
const ProcessName = "mcp-reaper"

// shell is the shell that waits for the end of the program, if it exists.
var shell = "/bin/sh"

// wait is the script of the shell. It waits until the pipe of the program closes. If the program
// has not written done before, the script executes the program with Command. If /proc exists, the
// script also sets the name of the process.
const wait = `trap '' INT TERM HUP; { echo ` + ProcessName + ` >/proc/self/comm; } 2>/dev/null; read -r _ || exec "$0" ` + Command

// command returns the command of the second process. self is the path of this program.
func command(self string) *exec.Cmd {
	if _, err := os.Stat(shell); err != nil {
		return exec.Command(self, Command) //nolint:noctx // this program; it must outlive every context
	}
	return exec.Command(shell, "-c", wait, inherited(self)) //nolint:gosec,noctx // this program; it must outlive every context
}

// PassNothing keeps programs that this process starts from inheriting the descriptors that it has itself inherited, except
// standard input, output and error. A program that keeps one would, for example, hold a lock or a pipe of the shell.
func PassNothing() error {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd) // does nothing for the descriptor of the listing, which is closed
		}
	}
	return nil
}

func leadSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// signal sends s to all processes that are left, and reports whether there were any. Signal 0
// only checks.
func (r *remains) signal(s syscall.Signal) bool {
	found := signalMarked(r.mark, s, r.spared)
	for _, leader := range r.groups {
		if syscall.Kill(-leader, s) == nil {
			found = true
		}
	}
	return found
}
