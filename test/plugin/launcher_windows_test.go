package plugin_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// launchedRole is the environment variable that makes the test binary a program that the launcher runs.
const launchedRole = "PLUGIN_TEST_LAUNCHED"

func TestMain(m *testing.M) {
	if os.Getenv(launchedRole) != "" {
		os.Exit(launched())
	}
	os.Exit(m.Run())
}

// launchedCode is the exit code of a program that the launcher runs in these tests.
const launchedCode = 7

// launched is what a program of the tests does: it prints its folder, its arguments, and the variables of the launcher.
func launched() int {
	path, err := os.Executable()
	if err != nil {
		return 1
	}
	fmt.Printf("%s %q %q\n", filepath.Base(filepath.Dir(path)), os.Args[1:], os.Getenv("program")+os.Getenv("folders"))
	return launchedCode
}

// windowsWorld is a folder with the launcher and with programs in several places.
func windowsWorld(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a & b (1)") // characters that mean something to cmd.exe
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"named", "first", "second", "relative", "data/bin", "npm/node_modules/toolscript/node_modules/@toolscript/win32-x64/bin"} {
		folder := filepath.Join(dir, filepath.FromSlash(place))
		err := os.MkdirAll(folder, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "toolscript.exe"), self, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLauncherOfWindows(t *testing.T) {
	launcher, err := filepath.Abs(pluginRoot + "/bin/toolscript.cmd")
	if err != nil {
		t.Fatal(err)
	}
	dir := windowsWorld(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	const missing = "the toolscript program is not installed"
	for _, tt := range []struct {
		name string
		path []string
		env  []string
		args []string
		want string
		code int
	}{
		{"the named program", []string{in("first")}, []string{"TOOLSCRIPT_BIN=" + in("named/toolscript.exe")}, []string{"hook"}, `named ["hook"] ""`, launchedCode},
		{"the first in PATH", []string{in("empty"), in("first"), in("second")}, nil, []string{"a b", "c"}, `first ["a b" "c"] ""`, launchedCode},
		{"a quoted folder", []string{`"` + in("second") + `"`}, nil, nil, `second [] ""`, launchedCode},
		{"the program of npm", []string{in("npm"), in("first")}, nil, nil, `bin [] ""`, launchedCode},
		{"a relative folder", []string{"relative", in("second")}, nil, nil, `second [] ""`, launchedCode},
		{"the data folder", []string{in("empty")}, []string{"CLAUDE_PLUGIN_DATA=" + in("data")}, nil, `bin [] ""`, launchedCode},
		{"missing at the start", []string{in("empty")}, nil, []string{"hook", "session-start"}, `{"systemMessage":"toolscript: ` + missing, 0},
		{"missing later", []string{in("empty")}, nil, []string{"hook", "pre-tool-use"}, "", 0},
		{"missing", []string{in("empty")}, nil, []string{"exec"}, "toolscript: " + missing, 127},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), launcher, tt.args...) //nolint:gosec // the launcher of this repository
			cmd.Dir = dir
			cmd.Env = append([]string{launchedRole + "=1", "PATH=" + strings.Join(tt.path, ";"), "SystemRoot=" + os.Getenv("SystemRoot"), "ComSpec=" + os.Getenv("ComSpec")}, tt.env...)
			out, err := cmd.CombinedOutput()
			if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.HasPrefix(string(out), tt.want) || tt.want == "" && len(out) > 0 {
				t.Errorf("the launcher ends with %d and prints %q, want %d and %q", code, out, tt.code, tt.want)
			}
		})
	}
}
