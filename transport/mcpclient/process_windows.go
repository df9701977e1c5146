package mcpclient

import (
	"os"
	"os/exec"
	"syscall"
)

// leadGroup keeps a Ctrl-C at our console from the child.
func leadGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup ends the child at once: Windows has no signal that asks for it.
func terminateGroup(leader *os.Process) { killGroup(leader) }

// killGroup ends the child. Its own children are not reached: that would take a
// job object. They see the end of their standard input.
func killGroup(leader *os.Process) { _ = leader.Kill() } // fails when it has ended by itself
