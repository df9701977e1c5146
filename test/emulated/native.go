package emulated

import (
	"errors"
	"os"
	"os/exec"
)

// Native returns this machine as a system that runs its own tests. folder receives the programs.
func Native(folder, suffix, results string, args ...string) System {
	return System{Suffix: suffix, Folder: folder, Results: results, Args: args, Run: runNative}
}

func runNative(folder, output, program string, args ...string) error {
	file, err := os.Create(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...) //nolint:gosec // it runs until its end; the tests have a limit
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, file, file
	return errors.Join(cmd.Run(), file.Close())
}
