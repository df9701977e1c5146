//go:build unix

package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is a process group.
type group struct{ leader *os.Process }

// startGroup starts the leader of a new process group. So signals to the group reach its descendants,
// and Ctrl-C at the terminal does not reach them.
func startGroup(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	return group{cmd.Process}, err
}

func (g group) terminate() { g.signal(syscall.SIGTERM) }

func (g group) kill() { g.signal(syscall.SIGKILL) }

// end kills the processes that are left in the group.
func (g group) end() { g.kill() }

func (g group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.leader.Pid, s) // ESRCH: the group has already ended
}
