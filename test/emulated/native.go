package emulated

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

// Native returns this machine as a system that runs its own tests. folder receives the programs.
func Native(folder, suffix, results string, args ...string) System {
	return System{Suffix: suffix, Folder: folder, Results: results, Args: args, Run: runNative}
}

func runNative(ctx context.Context, folder, output, program string, args ...string) error {
	file, err := os.Create(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // a test program
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, file, file
	return errors.Join(cmd.Run(), file.Close())
}
