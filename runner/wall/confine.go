package wall

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// Command is the hidden command of this program that puts Landlock around itself
// and then becomes another program: what follows it on the command line goes to
// Main.
const Command = "__confine"

// Confine makes cmd start behind Landlock, by way of self, a program that hands
// Command to Main. The process keeps its id, environment, folder and descriptors.
// Where there is no Landlock the program starts without. What it needs to start at
// all, such as itself and its libraries, must be in a.
func Confine(cmd *exec.Cmd, self string, a Access) error {
	if cmd.Err != nil { // exec.Command has not found the program
		return cmd.Err
	}
	access, err := json.Marshal(a)
	if err != nil {
		return err
	}
	// The program's own name may differ from its path.
	cmd.Args = append([]string{self, Command, string(access), cmd.Path}, cmd.Args...)
	cmd.Path = self
	return nil
}

// Main is what self does: args follow Command on the command line. It returns
// only when the program could not be started.
func Main(args []string) int {
	err := become(args)
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func become(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("%s is started by the gateway, not by hand", Command)
	}
	var a Access
	if err := json.Unmarshal([]byte(args[0]), &a); err != nil {
		return fmt.Errorf("%s is started by the gateway, not by hand: %w", Command, err)
	}
	if _, err := Landlock(a); err != nil {
		return err
	}
	return replace(args[1], args[2:])
}
