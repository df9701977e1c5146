//go:build unix

package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
)

// leadGroup makes the child the leader of a new process group. Signals then reach its
// descendants, and a Ctrl-C at the terminal does not reach them.
func leadGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(leader *os.Process) { signalGroup(leader, syscall.SIGTERM) }

func killGroup(leader *os.Process) { signalGroup(leader, syscall.SIGKILL) }

func signalGroup(leader *os.Process, s syscall.Signal) {
	_ = syscall.Kill(-leader.Pid, s) // ESRCH: the group has already ended
}
