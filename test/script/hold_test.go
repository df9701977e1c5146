package script_test

import (
	"fmt"
	"os"
	"time"

	"github.com/toolscript/toolscript/test/fixture/pace"
)

func init() { programs["hold"] = func() { os.Exit(hold(os.Args[1:])) } }

// hold is the program "hold FILE HELD FREE". It opens a file, so that no other process of Windows can open it, makes the
// file HELD, and ends when there is a file FREE.
func hold(args []string) int {
	release, err := exclusive(args[0])
	if err == nil {
		err = os.WriteFile(args[1], nil, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hold:", err)
		return 2
	}
	for start := time.Now(); time.Since(start) < pace.Limit(untilLimit); time.Sleep(untilPause) {
		if _, err := os.Stat(args[2]); err == nil {
			release()
			return 0
		}
	}
	return 1
}
