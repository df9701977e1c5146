package daemon

import (
	"context"

	"github.com/toolscript/toolscript/runner/command"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// builtinHost is what the gateway offers to built-in tools. Without a usable data
// folder, tools that keep a state fail.
func (h *Host) builtinHost() tool.Host {
	host := tool.Host{RunCommand: runCommand, Confinement: command.Confinement()}
	if folder, err := h.folder("builtin"); err == nil {
		host.StateDir = folder
	}
	return host
}

// runCommand runs a program of the tool exec with this program as its helper.
func runCommand(ctx context.Context, c tool.Command) (tool.CommandResult, error) {
	r, err := command.Runner{}.Run(ctx, command.Spec{
		Args: c.Args, Root: c.Root, Dir: c.Dir, Writable: c.Writable, Env: c.Env, Network: c.Network, Timeout: c.Timeout,
	})
	if err != nil {
		return tool.CommandResult{}, err
	}
	return tool.CommandResult{
		ExitCode: r.ExitCode, Stdout: r.Stdout, Stderr: r.Stderr, Aggregated: r.Aggregated, TimedOut: r.TimedOut, Duration: r.Duration,
	}, nil
}
