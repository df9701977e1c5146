package command_test

import (
	"os"
	"testing"

	"github.com/toolscript/toolscript/runner/command"
)

// TestMain makes the test binary the helper, or one of the programs that the tests run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if os.Args[1] == command.Command {
			os.Exit(command.Main())
		}
		if act := programs[os.Args[1]]; act != nil {
			os.Exit(act(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

// programs maps the first argument of a command to a program that the tests run.
var programs = map[string]func(args []string) int{}
