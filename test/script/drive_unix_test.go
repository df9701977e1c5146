//go:build unix

package script_test

import (
	"fmt"
	"os"
	"syscall"
)

var ownConsole *syscall.SysProcAttr

// interrupt sends a signal to a process.
func interrupt(process *os.Process, what string) error {
	switch what {
	case "INT":
		return process.Signal(syscall.SIGINT)
	case "TERM":
		return process.Signal(syscall.SIGTERM)
	default:
		return fmt.Errorf("drive: %q is none of input, INT, TERM", what)
	}
}
