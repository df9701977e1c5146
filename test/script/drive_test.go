package script_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// drive is the program "drive WHAT COMMAND [ARGS]". It runs the command, prints the first line of its
// output, and only then does WHAT: "input" sends the rest of standard input and closes it; "KILL" ends the process
// without its knowledge; the others are signals, or keys of a console of Windows. A command that buffers its output therefore blocks.
func drive(args []string) int {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, ownConsole
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return driveFailed(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return driveFailed(err)
	}
	if err := cmd.Start(); err != nil {
		return driveFailed(err)
	}
	stdout := bufio.NewReader(pipe)
	first, err := stdout.ReadString('\n')
	fmt.Print(first)
	if err == nil {
		err = act(args[0], cmd.Process, stdin)
	}
	if err != nil {
		_ = cmd.Process.Kill() // it has not reached the expected point
		return driveFailed(errors.Join(err, cmd.Wait()))
	}
	if _, err := io.Copy(os.Stdout, stdout); err != nil {
		return driveFailed(err)
	}
	_ = cmd.Wait() // the exit code shows the result
	return cmd.ProcessState.ExitCode()
}

func act(what string, process *os.Process, stdin io.WriteCloser) error {
	switch what {
	case "input":
	case "KILL":
		return process.Kill()
	default:
		return interrupt(process, what)
	}
	if _, err := io.Copy(stdin, os.Stdin); err != nil {
		return err
	}
	return stdin.Close()
}

func driveFailed(err error) int {
	fmt.Fprintln(os.Stderr, "drive:", err)
	return 99
}
