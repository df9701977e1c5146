package script_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript/cmd/discovery"
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
	if process, err := discovery.Identify(pid); err == nil { // otherwise there is no such process
		fmt.Fprintf(os.Stderr, "gone: process %s is still there\n", process)
		return 1
	}
	return 0
}
