//go:build unix

package plugin_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// launcherWorld is a folder with the launcher, as it is installed, and with programs in several places.
type launcherWorld struct{ dir, launcher string }

func newLauncherWorld(t *testing.T) *launcherWorld {
	t.Helper()
	w := &launcherWorld{dir: t.TempDir()}
	text := read(t, pluginRoot+"/bin/toolscript")
	w.launcher = w.write(t, "plugin/bin/toolscript", text)
	w.write(t, "other plugin/bin/toolscript", text) // an earlier version of the plugin
	for _, place := range []string{"named/program", "path/toolscript", "second/toolscript", "data/bin/toolscript", "relative/toolscript"} {
		w.write(t, place, "#!/bin/sh\necho "+place+" \"$PPID\" \"$@\"\n")
	}
	return w
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (w *launcherWorld) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs the launcher. Paths in env and path are relative to the world's folder; an
// entry of path that begins with = is used unchanged.
func (w *launcherWorld) run(t *testing.T, path []string, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var folders []string
	for _, p := range path {
		if rest, literal := strings.CutPrefix(p, "="); literal {
			folders = append(folders, rest)
		} else {
			folders = append(folders, filepath.Join(w.dir, p))
		}
	}
	cmd := exec.CommandContext(t.Context(), w.launcher, args...)
	cmd.Dir = w.dir
	cmd.Env = []string{"PATH=" + strings.Join(folders, ":")}
	for name, place := range env {
		cmd.Env = append(cmd.Env, name+"="+filepath.Join(w.dir, place))
	}
	return output(t, cmd)
}

func TestLauncherFindsTheProgram(t *testing.T) {
	w := newLauncherWorld(t)
	for _, tt := range []struct {
		name string
		path []string
		env  map[string]string
		want string
	}{
		{"named", []string{"path"}, map[string]string{"TOOLSCRIPT_BIN": "named/program", "CLAUDE_PLUGIN_DATA": "data"}, "named/program"},
		{"in PATH", []string{"empty", "path", "second"}, map[string]string{"CLAUDE_PLUGIN_DATA": "data"}, "path/toolscript"},
		{"behind itself", []string{"plugin/bin", "path"}, nil, "path/toolscript"},
		{"behind another launcher", []string{"other plugin/bin", "plugin/bin", "second"}, nil, "second/toolscript"},
		{"in the plugin's data", []string{"plugin/bin"}, map[string]string{"CLAUDE_PLUGIN_DATA": "data"}, "data/bin/toolscript"},
		{"not relative to the project", []string{"=relative", "=.", "=", "second"}, nil, "second/toolscript"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := w.run(t, tt.path, tt.env, "exec", "two words", "*")
			fields := strings.SplitN(strings.TrimSpace(stdout), " ", 3)
			if code != 0 || len(fields) != 3 || fields[0] != tt.want || fields[1] != strconv.Itoa(os.Getpid()) || fields[2] != "exec two words *" {
				t.Errorf("stdout = %q, stderr = %q, code %d; want %s", stdout, stderr, code, tt.want)
			}
		})
	}
}

// TestLauncherIsExecutable: its folder is in the PATH of the client's commands.
func TestLauncherIsExecutable(t *testing.T) {
	info, err := os.Stat(pluginRoot + "/bin/toolscript")
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0o111 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestLauncherWithoutAProgram(t *testing.T) {
	w := newLauncherWorld(t)
	path := []string{"plugin/bin", "empty"}
	stdout, stderr, code := w.run(t, path, nil, "search", "x")
	if code != 127 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "not installed") {
		t.Errorf("a command: %q, %q, code %d", stdout, stderr, code)
	}
	stdout, stderr, code = w.run(t, path, nil, "hook", "session-start")
	var answer struct{ SystemMessage string }
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 || stderr != "" || !strings.Contains(answer.SystemMessage, "not installed") {
		t.Errorf("session-start: %q, %q, code %d", stdout, stderr, code)
	}
	if stdout, stderr, code = w.run(t, path, nil, "hook", "pre-tool-use"); code != 0 || stdout+stderr != "" {
		t.Errorf("another hook: %q, %q, code %d", stdout, stderr, code)
	}
}

// TestHooksInShells runs the commands of the hooks as the client does. The program gets the standard input, and the
// client is its parent and gets its exit code.
func TestHooksInShells(t *testing.T) {
	w := newLauncherWorld(t)
	for _, file := range []string{"bin/toolscript", "hooks/run.cmd"} {
		w.write(t, "a $b's (1)/"+file, read(t, filepath.Join(pluginRoot, file)))
	}
	w.write(t, "reads/toolscript", "#!/bin/sh\nread -r line\necho \"$PPID $line $*\"\nexit 7\n")
	for _, shell := range []string{"sh", "bash"} {
		for name, command := range hookCommands(t) {
			run := func(path string) (stdout, stderr string, code int) {
				cmd := exec.CommandContext(t.Context(), shell, "-c", command)
				cmd.Dir, cmd.Stdin = w.dir, strings.NewReader("input\n")
				cmd.Env = []string{"CLAUDE_PLUGIN_ROOT=" + filepath.Join(w.dir, "a $b's (1)"), "PATH=" + filepath.Join(w.dir, path)}
				return output(t, cmd)
			}
			want := strconv.Itoa(os.Getpid()) + " input hook " + name + "\n"
			if stdout, stderr, code := run("reads"); stdout != want || stderr != "" || code != 7 {
				t.Errorf("%s: %s: %q, %q, code %d; want %q and 7", shell, name, stdout, stderr, code, want)
			}
			stdout, stderr, code := run("empty")
			if stderr != "" || code != 0 || strings.Contains(stdout, "not installed") != (name == "session-start") {
				t.Errorf("%s: %s without the program: %q, %q, code %d", shell, name, stdout, stderr, code)
			}
		}
	}
}
