//go:build integration && linux

package plugin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/test/fixture/engine"
	"github.com/toolscript/toolscript/test/fixture/race"
	"github.com/toolscript/toolscript/test/harness"
)

// program is the path of the built toolscript, claude that of the client from npm, and peers is the
// folder of the real MCP servers.
var program, claude, peers string

// bound is the time limit for one step of the client on a busy machine.
const bound = 2 * time.Minute

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "toolscript-plugin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	program = filepath.Join(dir, "toolscript")
	if err := harness.Build(program, true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for path, install := range map[string]string{
		"node_modules/.bin/claude":                            "npm ci --prefix test/plugin",
		"../node_modules/.bin/mcp-server-everything":          "npm ci --prefix test",
		"../../plugins/toolscript/.claude-plugin/plugin.json": "a clone of the repository",
	} {
		if _, err := os.Stat(path); err != nil {
			fmt.Fprintf(os.Stderr, "%v\nthe test of the plugin needs it: %s\n", err, install)
			return 1
		}
	}
	claude, _ = filepath.Abs("node_modules/.bin/claude")
	peers, _ = filepath.Abs("../node_modules/.bin")
	return m.Run()
}

// world is a user's machine: a home folder, a project in a git repository, and an endpoint that takes
// the place of the model.
type world struct {
	home, project string
	model         *endpoint
	env           []string
}

const everything = `{"mcpServers": {"everything": {"command": "mcp-server-everything", "args": ["stdio"]}}}`

func newWorld(t *testing.T, files map[string]string, turns ...[]block) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{home: filepath.Join(base, "home"), project: filepath.Join(base, "project"), model: newEndpoint(t, turns...)}
	for _, dir := range []string{w.home, filepath.Join(w.project, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := engine.Link(program, filepath.Join(w.home, ".toolscript")); err != nil {
		t.Fatal(err)
	}
	w.env = []string{
		"HOME=" + w.home, "PATH=" + filepath.Dir(program) + ":" + peers + ":" + os.Getenv("PATH"), "TERM=dumb", race.Env,
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"ANTHROPIC_BASE_URL=" + w.model.URL, "ANTHROPIC_API_KEY=sk-ant-fake-0000", "TOOLSCRIPT_SEARCH_SEMANTIC=off",
	}
	t.Cleanup(func() { w.nothingLeft(t) })
	return w
}

// command returns a command of the client that runs in the project's folder.
func (w *world) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 3*bound)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, claude, args...)
	cmd.Dir, cmd.Env = w.project, w.env
	return cmd
}

// manage runs a command of the client that uses no model.
func (w *world) manage(t *testing.T, args ...string) string {
	t.Helper()
	out, err := w.command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("claude %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// pluginDir returns the arguments that load the plugin from the repository without installing it.
func pluginDir(t *testing.T) []string {
	t.Helper()
	path, err := filepath.Abs(pluginRoot)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--plugin-dir", path}
}

// line is one line of the client's output.
type line struct {
	Type, Subtype string
	SessionID     string `json:"session_id"`
	HookEvent     string `json:"hook_event"`
	HookName      string `json:"hook_name"`
	Stdout        string
	Stderr        string
	ExitCode      int `json:"exit_code"`
	Outcome       string
	IsError       bool `json:"is_error"`
	Result        string
	Denials       []struct {
		Input struct{ Command string } `json:"tool_input"`
	} `json:"permission_denials"`
}

// session is a running client that accepts prompts.
type session struct {
	world *world
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Reader
	all   []line
}

// start starts a client without a terminal.
func (w *world) start(t *testing.T, args ...string) *session {
	t.Helper()
	s := &session{world: w, cmd: w.command(t, append([]string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-hook-events", "--max-turns", "60",
	}, args...)...)}
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewReader(out)
	errors, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = errors
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // a failed test may leave it running
		_ = s.cmd.Wait()
		_ = errors.Close()
		if !t.Failed() {
			return
		}
		text, _ := os.ReadFile(errors.Name())
		t.Logf("the client's stderr:\n%s", text)
		for _, l := range s.all {
			if l.Type == "system" {
				t.Logf("%+v", l)
			}
		}
	})
	return s
}

// prompt sends a prompt to the client and returns the result.
func (s *session) prompt(t *testing.T, text string) line {
	t.Helper()
	input, err := json.Marshal(object{"type": "user", "message": object{"role": "user", "content": text}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.stdin.Write(append(input, '\n')); err != nil {
		t.Fatal(err)
	}
	for {
		l, ok := s.read(t)
		if !ok {
			t.Fatalf("the client has ended at the prompt %q", text)
		}
		if l.Type == "result" {
			return l
		}
	}
}

func (s *session) read(t *testing.T) (line, bool) {
	t.Helper()
	text, err := s.lines.ReadBytes('\n')
	if err != nil {
		return line{}, false
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatalf("the client has printed %q: %v", text, err)
	}
	s.all = append(s.all, l)
	return l, true
}

// end closes the client's input and waits until the client has ended.
func (s *session) end(t *testing.T) {
	t.Helper()
	if err := s.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; {
		_, ok = s.read(t)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the client ended with %v", err)
	}
}

// messages returns the texts that the hooks of an event have shown to the user.
func (s *session) messages(t *testing.T, event string) (texts []string) {
	t.Helper()
	seen := false
	for _, l := range s.all {
		if l.Subtype != "hook_response" || l.HookEvent != event {
			continue
		}
		seen = true
		if l.ExitCode != 0 {
			t.Errorf("the hook %s ended with %d: %s", l.HookName, l.ExitCode, l.Stderr)
		}
		var answer struct{ SystemMessage string }
		if json.Unmarshal([]byte(l.Stdout), &answer) == nil && answer.SystemMessage != "" {
			texts = append(texts, answer.SystemMessage)
		}
	}
	if !seen {
		t.Errorf("no hook of %s has run", event)
	}
	return texts
}

// gateways returns the running gateways of the machine.
func (w *world) gateways(t *testing.T) []discovery.Entry {
	t.Helper()
	entries, err := discovery.In(filepath.Join(w.home, ".toolscript", "run")).List()
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// gateway returns the only running gateway.
func (w *world) gateway(t *testing.T) discovery.Entry {
	t.Helper()
	entries := w.gateways(t)
	if len(entries) != 1 {
		t.Fatalf("%d gateways run, want one", len(entries))
	}
	return entries[0]
}

// ended waits until a process has ended.
func ended(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd) //nolint:errcheck // only polled
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(bound.Milliseconds()))
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			t.Fatalf("process %d has not ended: %v", pid, err)
		default:
			return
		}
	}
}

// nothingLeft waits until every process has ended that has the world's home folder in its environment:
// gateways, servers and hooks.
func (w *world) nothingLeft(t *testing.T) {
	t.Helper()
	for _, p := range w.processes() {
		ended(t, p)
	}
	if left := w.processes(); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

func (w *world) processes() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !strings.Contains("\x00"+string(env), "\x00HOME="+w.home+"\x00") {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(filepath.Base(dir), &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
