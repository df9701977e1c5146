//go:build !windows

package proc

import (
	"context"
	"os/exec"
)

// Program returns a command that runs a program in the folder dir, or in that of this process if dir is "". The program gets
// the arguments unchanged.
func Program(ctx context.Context, dir, path string, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // the caller decides what is run
	cmd.Dir = dir
	return cmd, nil
}
