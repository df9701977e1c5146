//go:build linux

package harness

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/toolscript/toolscript/test/fixture/files"
	"github.com/toolscript/toolscript/test/fixture/race"
)

// The variables that name built programs, without and with the race detector. Linking the program
// takes a quarter of a minute, and many test packages need it.
const (
	builtVariable     = "TOOLSCRIPT_TEST_PROGRAM"
	builtRaceVariable = "TOOLSCRIPT_TEST_PROGRAM_RACE"
)

// Build builds the program from the source tree into a file, or copies it if one of the variables names a
// built program. If withRace is set, the program has the race detector exactly if the test has it.
func Build(file string, withRace bool) error {
	variable, args := builtVariable, []string{"build", "-o", file}
	if withRace && race.Enabled {
		variable, args = builtRaceVariable, append(args, "-race")
	}
	if built := os.Getenv(variable); built != "" {
		return files.Link(built, file, 0o755)
	}
	out, err := exec.Command("go", append(args, "github.com/toolscript/toolscript/cmd/toolscript")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
