package script_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// gone is the program "gone FILE". It fails unless the process whose id is in the file has ended.
func gone(args []string) int {
	text, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "gone:", err)
		return 2
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "gone:", err)
		return 2
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Signal(syscall.Signal(0))
	}
	if !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintf(os.Stderr, "gone: process %d is still there (%v)\n", pid, err)
		return 1
	}
	return 0
}
