package script_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/test/kit"
)

// gone is the program "gone FILE [soon]". It fails unless the process whose id is in the file has ended, or, with soon,
// ends while the program waits.
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
	tick, late := time.NewTicker(5*time.Millisecond), time.After(kit.Patience)
	for waits := len(args) > 1; ; {
		process, err := discovery.Identify(pid)
		if err != nil { // there is no such process
			return 0
		}
		if waits {
			select {
			case <-tick.C:
				continue
			case <-late:
			}
		}
		fmt.Fprintf(os.Stderr, "gone: process %s is still there\n", process)
		return 1
	}
}
