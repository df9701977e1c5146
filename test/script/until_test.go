package script_test

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/kit"
)

// Interval and time limit of until.
const (
	untilPause = 50 * time.Millisecond
	untilLimit = kit.Patience // for an idle machine
)

// until is the program "until COMMAND [ARGS]". It repeats the command until it succeeds, for changes
// without a notification.
func until(args []string) int {
	var output []byte
	for start := time.Now(); time.Since(start) < pace.Limit(untilLimit); time.Sleep(untilPause) {
		cmd := exec.Command(args[0], args[1:]...)
		var err error
		if output, err = cmd.Output(); err == nil {
			_, _ = os.Stdout.Write(output) // so that the script can check the output
			return 0
		}
	}
	fmt.Fprintf(os.Stderr, "until: %s did not succeed in %s; the last time it printed:\n%s", args[0], untilLimit, output)
	return 1
}
