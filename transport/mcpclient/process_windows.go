package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
)

// leadGroup protects the child from a Ctrl-C at the console.
func leadGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup kills the child: Windows has no signal that requests termination.
func terminateGroup(leader *os.Process) { killGroup(leader) }

// killGroup kills the child only. Killing its children would require a job object.
// They see the end of their standard input.
func killGroup(leader *os.Process) { _ = leader.Kill() } // fails if the child has already ended
