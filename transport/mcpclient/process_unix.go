//go:build unix

package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is a process group.
type group struct{ leader *os.Process }

// startGroup starts the leader of a new process group. Signals then reach its descendants, and a
// Ctrl-C at the terminal does not reach them.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	return group{cmd.Process}, err
}

func (g group) terminate() { g.signal(syscall.SIGTERM) }

func (g group) kill() { g.signal(syscall.SIGKILL) }

// end kills what is left of the group.
func (g group) end() { g.kill() }

func (g group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.leader.Pid, s) // ESRCH: the group has already ended
}
