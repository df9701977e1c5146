// Package script_test runs the real program as its users do, with one testscript file for each command
// and for each defect that is visible on the command line.
package script_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/fixture/race"
)

var update = flag.Bool("update", false, "write what the program prints into the scripts")

// TestMain makes the test binary act as all programs that scripts run. A script worker is started by the
// program's own path, and runs in cli.Main. A reaper is executed by a file descriptor, which has no name.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == proc.Command {
		os.Exit(proc.Main())
	}
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); runtime.GOOS == "windows" && programs[name] == nil {
		testscript.Main(withPrograms{m}, nil)
	}
	testscript.Main(m, programs)
}

// programs maps the names of programs that scripts run to their functions.
var programs = map[string]func(){
	"toolscript": func() { os.Exit(toolscriptMain()) },
	"mcpserver":  func() { os.Exit(mcpserver.Main()) },
	"code":       func() { os.Exit(code(os.Args[1:])) },
	"drive":      func() { os.Exit(drive(os.Args[1:])) },
	"request":    func() { os.Exit(request(os.Args[1:])) },
	"repeat":     func() { os.Exit(repeat(os.Args[1:])) },
	"until":      func() { os.Exit(until(os.Args[1:])) },
	"gone":       func() { os.Exit(gone(os.Args[1:])) },
	"variables":  func() { fmt.Println(strings.Join(os.Environ(), "\n")) }, // the program env of other systems
}

// toolscriptMain runs the program. In an emulation, a type check may work and take longer: for the first one of a
// process, the emulation translates the compiler.
func toolscriptMain() int {
	worker.SourceLimit = runner.Usage{Work: pace.Product(worker.SourceLimit.Work), Wall: pace.Product(worker.SourceLimit.Wall)}
	return cli.Main()
}

func TestScripts(t *testing.T) {
	data, err := os.MkdirTemp("", "data") //nolint:usetesting // some systems cannot remove it, which must not fail the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	var folder atomic.Value // folder that contains the folders of all scripts
	t.Cleanup(func() {
		if path, is := folder.Load().(string); is {
			_ = os.Remove(path) // testscript leaves it, empty, if -run omits scripts
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			folder.Store(filepath.Dir(env.WorkDir))
			return setup(env, data)
		},
		Condition:           condition,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"collector":    startCollector,
			"gateway":      startGateway,
			"stop-gateway": stopGateway,
			"registry":     startRegistry,
			"setenv":       setVariable,
		},
	})
}

// setup gives each script its own home and runtime folder, so that concurrent scripts do not find each
// other's gateways. They share the data folder, because with a cold cache each would compile the
// engine, which takes seconds under the race detector.
func setup(env *testscript.Env, data string) error {
	home := filepath.Join(env.WorkDir, "home")
	run := filepath.Join(env.WorkDir, "run")
	for _, dir := range []string{home, run} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("TOOLSCRIPT_RUNTIME_DIR", run)
	env.Setenv("TOOLSCRIPT_DATA_DIR", data)
	env.Setenv("NO_COLOR", "1")
	env.Vars = append(env.Vars, race.Env)
	if factor := pace.Variable(); factor != "" {
		env.Vars = append(env.Vars, factor)
	}
	env.Setenv("BRIEFLY", pace.Limit(500*time.Millisecond).Round(time.Millisecond).String()) // enough for a call, on a machine that is as busy
	env.Setenv("TOOLSCRIPT_SEARCH_SEMANTIC", "off")                                          // embedding would take CPU from other scripts; scripts about search enable it
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		return err
	}
	env.Setenv("EXAMPLES", examples)
	env.Setenv("TSC", tsc())
	env.Values[fleetKey{}] = &fleet{t: env.T()}
	env.Defer(func() { endBackground(env) })
	return nil
}

// setVariable is the script command "setenv NAME". It sets a variable to the output of the last command.
func setVariable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: setenv NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}
