package script_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
)

// agentProgram is a client with the name of an agent.
const agentProgram = "codex"

func init() {
	programs["client"] = func() { os.Exit(client(os.Args[1:])) }
	programs[agentProgram] = programs["client"]
}

// client is the program "client PATTERN FILE COMMAND [ARGS]". It plays an MCP client: it sends the file to the command,
// prints what the command writes to standard output and standard error, and closes its standard input after the first
// line that matches the pattern.
func client(args []string) int {
	messages, err := os.ReadFile(args[1])
	if err != nil {
		return clientFailed(err)
	}
	cmd := exec.Command(args[2], args[3:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return clientFailed(err)
	}
	output, both, err := os.Pipe()
	if err != nil {
		return clientFailed(err)
	}
	cmd.Stdout, cmd.Stderr = both, both
	if err := cmd.Start(); err != nil {
		return clientFailed(err)
	}
	_ = both.Close() // the command has a copy
	if _, err := stdin.Write(messages); err != nil {
		return clientFailed(err)
	}
	last := regexp.MustCompile(args[0])
	for lines := bufio.NewReader(output); ; {
		line, err := lines.ReadString('\n')
		fmt.Print(line)
		if last.MatchString(line) {
			_ = stdin.Close() // it may be closed already
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait() // the exit code shows the result
	return cmd.ProcessState.ExitCode()
}

func clientFailed(err error) int {
	fmt.Fprintln(os.Stderr, "client:", err)
	return 99
}
