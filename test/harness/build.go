//go:build linux

package harness

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/toolscript/toolscript/test/fixture/files"
	"github.com/toolscript/toolscript/test/fixture/race"
)

// The variables name programs that are already built, without and with the race detector.
// Linking the program takes a quarter of a minute, and many packages of tests need it.
const (
	builtVariable     = "TOOLSCRIPT_TEST_PROGRAM"
	builtRaceVariable = "TOOLSCRIPT_TEST_PROGRAM_RACE"
)

// Build writes the program, as it is in the tree, to a file. A program that one of the
// variables names is copied. With withRace, the program has the race detector if the test
// has it.
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
