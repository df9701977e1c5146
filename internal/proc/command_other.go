//go:build !windows

package proc

import (
	"context"
	"os/exec"
)

// Program returns a command that runs a program. The program gets the arguments unchanged.
func Program(ctx context.Context, path string, args []string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, path, args...), nil //nolint:gosec // the caller decides what is run
}
