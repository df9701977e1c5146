package plugin_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/proc"
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

// launched is what a program of the tests does: it prints its folder, its arguments, the variables of the launcher, and
// its standard input.
func launched() int {
	path, err := os.Executable()
	if err != nil {
		return 1
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	fmt.Printf("%s %q %q %q\n", filepath.Base(filepath.Dir(path)), os.Args[1:], os.Getenv("program")+os.Getenv("folders"), input)
	return launchedCode
}

// windowsWorld is a folder with programs in several places, and the folder of the plugin.
func windowsWorld(t *testing.T) (dir, plugin string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a & b (1)") // characters that mean something to cmd.exe
	plugin = filepath.Join(dir, "plug in")
	if err := os.CopyFS(plugin, os.DirFS(pluginRoot)); err != nil {
		t.Fatal(err)
	}
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
	return dir, plugin
}

func TestLauncherOfWindows(t *testing.T) {
	dir, plugin := windowsWorld(t)
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
		{"the named program", []string{in("first")}, []string{"TOOLSCRIPT_BIN=" + in("named/toolscript.exe")}, []string{"hook"}, `named ["hook"] "" "in\r\nput"`, launchedCode},
		{"the first in PATH", []string{in("empty"), in("first"), in("second")}, nil, []string{"a b", "c"}, `first ["a b" "c"] "" "in\r\nput"`, launchedCode},
		{"a quoted folder", []string{`"` + in("second") + `"`}, nil, nil, `second [] "" "in\r\nput"`, launchedCode},
		{"the program of npm", []string{in("npm"), in("first")}, nil, nil, `bin [] "" "in\r\nput"`, launchedCode},
		{"a relative folder", []string{"relative", in("second")}, nil, nil, `second [] "" "in\r\nput"`, launchedCode},
		{"the data folder", []string{in("empty")}, []string{"CLAUDE_PLUGIN_DATA=" + in("data")}, nil, `bin [] "" "in\r\nput"`, launchedCode},
		{"missing at the start", []string{in("empty")}, nil, []string{"hook", "session-start"}, `{"systemMessage":"toolscript: ` + missing, 0},
		{"missing later", []string{in("empty")}, nil, []string{"hook", "pre-tool-use"}, "", 0},
		{"missing", []string{in("empty")}, nil, []string{"exec"}, "toolscript: " + missing, 127},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd, err := proc.Program(t.Context(), "", filepath.Join(plugin, "bin", "toolscript.cmd"), tt.args)
			if err != nil {
				t.Fatal(err)
			}
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("in\r\nput")
			cmd.Env = append([]string{launchedRole + "=1", "PATH=" + strings.Join(tt.path, ";"), "SystemRoot=" + os.Getenv("SystemRoot"), "ComSpec=" + os.Getenv("ComSpec")}, tt.env...)
			stdout, stderr, code := output(t, cmd)
			if out := stdout + stderr; code != tt.code || !strings.HasPrefix(out, tt.want) || tt.want == "" && out != "" {
				t.Errorf("the launcher ends with %d and prints %q, want %d and %q", code, out, tt.code, tt.want)
			}
		})
	}
}

// TestHookOfWindows runs the batch file of the hooks. The cmd.exe of Wine prints its first line, a label.
func TestHookOfWindows(t *testing.T) {
	dir, plugin := windowsWorld(t)
	cmd, err := proc.Program(t.Context(), "", filepath.Join(plugin, "hooks", "run.cmd"), []string{"session-end"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader("{}")
	cmd.Env = append(os.Environ(), launchedRole+"=1", "TOOLSCRIPT_BIN="+filepath.Join(dir, "named", "toolscript.exe"))
	want := `named ["hook" "session-end"] "" "{}"`
	if stdout, stderr, code := output(t, cmd); code != launchedCode || !strings.HasSuffix(stdout, want+"\n") || stderr != "" {
		t.Errorf("the hook ends with %d and prints %q and %q, want %d and %q", code, stdout, stderr, launchedCode, want)
	}
}

// TestHooksInShells runs the commands of the hooks as the client does: in PowerShell, and in Git Bash if it is there.
func TestHooksInShells(t *testing.T) {
	dir, plugin := windowsWorld(t)
	bash := filepath.Join(os.Getenv("ProgramFiles"), "Git", "bin", "bash.exe")
	for name, command := range hookCommands(t) {
		inPowerShell := strings.ReplaceAll(command, "${CLAUDE_PLUGIN_ROOT}", "${env:CLAUDE_PLUGIN_ROOT}")
		for root, args := range map[string][]string{
			plugin:                   {"powershell.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", inPowerShell},
			filepath.ToSlash(plugin): {bash, "-c", command},
		} {
			if _, err := os.Stat(bash); err != nil && args[0] == bash {
				continue
			}
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...) //nolint:gosec // a command of this repository
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("{}")
			cmd.Env = append(os.Environ(), launchedRole+"=1", "CLAUDE_PLUGIN_ROOT="+root, "TOOLSCRIPT_BIN="+filepath.Join(dir, "named", "toolscript.exe"))
			want := fmt.Sprintf(`named ["hook" %q] "" "{}`, name) // PowerShell adds the end of a line to the input
			if stdout, stderr, _ := output(t, cmd); !strings.HasPrefix(stdout, want) {
				t.Errorf("%s: %s prints %q and %q, want %q", args[0], name, stdout, stderr, want)
			}
		}
	}
}
