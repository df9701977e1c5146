package mcpclient

import (
	"os/exec"
	"syscall"

	"github.com/toolscript/toolscript/internal/proc"
)

// A group is a job. Its processes also end when this process is killed.
type group struct{ job *proc.Job }

// startGroup starts a process in a new job. A Ctrl-C at the console does not reach it.
func startGroup(cmd *exec.Cmd) (group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
	job, err := proc.StartInJob(cmd, proc.JobLimits{})
	return group{job}, err
}

// terminate kills the group, because Windows has no signal that asks for termination. Before, the server
// has seen the end of its standard input.
func (g group) terminate() { g.kill() }

func (g group) kill() { g.job.Kill() }

// end kills the processes that are left in the group. The other methods must not be called afterwards.
func (g group) end() { _ = g.job.Close() }
