package script_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// code is the program "code N COMMAND [ARGS]". It runs the command and fails unless the exit code is N,
// because testscript distinguishes only 0 from other codes.
func code(args []string) int {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "code:", err)
		return 99
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "code:", err)
		return 99
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		fmt.Fprintf(os.Stderr, "code: %s ended with %d, want %d\n", args[1], got, want)
		return 1
	}
	return 0
}
