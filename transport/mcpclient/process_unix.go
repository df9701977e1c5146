//go:build unix

package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
)

// leadGroup makes the child the leader of a process group of its own, so that a
// signal reaches its offspring too, and a Ctrl-C at our terminal does not.
func leadGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(leader *os.Process) { signalGroup(leader, syscall.SIGTERM) }

func killGroup(leader *os.Process) { signalGroup(leader, syscall.SIGKILL) }

func signalGroup(leader *os.Process, s syscall.Signal) {
	_ = syscall.Kill(-leader.Pid, s) // ESRCH: the group has ended by itself
}
