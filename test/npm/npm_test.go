//go:build integration && linux

// Package npm_test installs the npm packages as users do, from a registry on loopback that contains
// only the packed tarballs.
package npm_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/test/harness"
)

// packages is the folder of the built packages, and node that of a Node that can replace its process by
// a program.
var packages, node string

// own is the name of the package with the program for this platform.
var own = "@toolscript/linux-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]

// bound is the time limit of one command on a busy machine.
const bound = 3 * time.Minute

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "toolscript-npm-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	packages = filepath.Join(dir, "npm")
	node, _ = filepath.Abs("../node_modules/node/bin")
	if _, err := os.Stat(filepath.Join(node, "node")); err != nil {
		fmt.Fprintf(os.Stderr, "%v\nthe test of the npm packages needs it: npm ci --prefix test\n", err)
		return 1
	}
	if err := build(filepath.Join(dir, "bin")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build packs the program for this platform, and for each other platform a text that npm must not fetch.
func build(programs string) error {
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"} {
		folder := filepath.Join(programs, platform)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		for _, name := range []string{"toolscript", "toolscript.exe"} {
			if platform == "linux-"+runtime.GOARCH {
				continue
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(platform), 0o600); err != nil {
				return err
			}
		}
	}
	program := filepath.Join(programs, "linux-"+runtime.GOARCH, "toolscript")
	if err := harness.Build(program, false); err != nil {
		return err
	}
	args := []string{"run", "../../release/generate", "npm", "-source", "../..", "-programs", programs, "-to", packages}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// machine is a computer with Node, npm and an empty home folder.
type machine struct {
	home string
	env  []string
}

// newMachine returns a machine whose npm uses only the registry. If old is set, its Node cannot replace
// its process, like Node 20.
func newMachine(t *testing.T, registry string, old bool) *machine {
	t.Helper()
	home := t.TempDir()
	m := &machine{home: home, env: []string{
		"HOME=" + home, "PATH=" + filepath.Join(home, "global/bin") + ":" + node + ":" + os.Getenv("PATH"),
		"npm_config_registry=" + registry, "npm_config_prefix=" + filepath.Join(home, "global"),
		"npm_config_audit=false", "npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_fetch_retries=0",
		"TOOLSCRIPT_RUNTIME_DIR=" + filepath.Join(home, "run"), "TOOLSCRIPT_SEARCH_SEMANTIC=off", "NO_COLOR=1",
	}}
	if old {
		script := filepath.Join(home, "old.cjs")
		if err := os.WriteFile(script, []byte("delete process.execve;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		m.env = append(m.env, "NODE_OPTIONS=--require="+script)
	}
	return m
}

// result is the output and exit code of a command.
type result struct {
	stdout, stderr string
	code           int
}

// command returns a command that runs in a folder of the machine.
func (m *machine) command(t *testing.T, dir, stdin string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/usr/bin/env", append(slices.Concat([]string{"-i"}, m.env), args...)...) // env finds the program in the machine's PATH
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	return cmd
}

func (m *machine) run(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := m.command(t, dir, stdin, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// must runs a command that must succeed and returns its output.
func (m *machine) must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	r := m.run(t, dir, "", args...)
	if r.code != 0 {
		t.Fatalf("%s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

var quickStart = regexp.MustCompile("(?s)```sh\n(npx.*?)```")

// TestTwoCommands runs the two npx commands of the README on a machine without any configuration, from
// the first command to the result of a script.
func TestTwoCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := quickStart.FindSubmatch(readme)
	if block == nil {
		t.Fatal("the README has no npx commands")
	}
	commands := strings.Split(strings.TrimSpace(string(block[1])), "\n")
	if len(commands) != 2 {
		t.Fatalf("the README has %d commands, want two: %q", len(commands), commands)
	}
	r := newRegistry(t)
	m := newMachine(t, r.URL, false)
	dir := t.TempDir()
	begun := time.Now()
	m.must(t, dir, "sh", "-c", commands[0])
	installed := time.Since(begun)
	out := m.must(t, dir, "sh", "-c", commands[1])
	t.Logf("the first command: %s; both: %s", installed.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
	if out != "[\"demo\"]\n" {
		t.Errorf("the script returned %q", out)
	}
	r.served(t, "toolscript", own)
}

// TestGlobal installs the program with npm i -g.
func TestGlobal(t *testing.T) {
	for name, old := range map[string]bool{"node becomes the program": false, "node waits for the program": true} {
		if testing.Short() && old {
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			m := newMachine(t, r.URL, old)
			dir := t.TempDir()
			m.must(t, dir, "npm", "i", "-g", "toolscript")
			r.served(t, "toolscript", own)
			if out := m.must(t, dir, "toolscript", "version"); out != "toolscript "+toolscript.Version+"\n" {
				t.Errorf("toolscript version = %q", out)
			}
			if out := m.must(t, dir, "toolscript", "version", "--check"); !strings.Contains(out, "run: npm install -g toolscript@latest") {
				t.Errorf("toolscript version --check = %q", out)
			}
			m.must(t, dir, "toolscript", "init", "--demo", "--yes")
			if got := m.run(t, dir, "abc", "toolscript", "exec", `console.error(await stdin.text()); console.log("out"); exit(7)`); got != (result{"out\n", "abc\n", 7}) {
				t.Errorf("exec = %+v", got)
			}
			t.Run("the plugin", func(t *testing.T) { launched(t, m, dir) })
			t.Run("a signal", func(t *testing.T) { signalled(t, m, dir) })
			t.Run("a hook", func(t *testing.T) { hooked(t, m, dir) })
		})
	}
}

// signalled checks that a signal to the command stops the gateway.
func signalled(t *testing.T, m *machine, dir string) {
	t.Helper()
	cmd := m.command(t, dir, "", "toolscript", "gateway", "start")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	running := func() (bool, error) {
		entries, err := m.runtime().List()
		return len(entries) > 0, err
	}
	if err := harness.Until(t.Context(), running); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("the interrupted gateway: %v, want exit code 0", err)
	}
	if on, err := running(); on || err != nil {
		t.Errorf("the gateway is still there: %v, %v", on, err)
	}
}

// launched checks that the plugin starts the program directly, without Node.
func launched(t *testing.T, m *machine, dir string) {
	t.Helper()
	launcher, err := filepath.Abs("../../plugins/toolscript/bin/toolscript")
	if err != nil {
		t.Fatal(err)
	}
	without := &machine{m.home, append(slices.Clone(m.env), "NODE_OPTIONS=--require=/does/not/exist")}
	if r := without.run(t, dir, "", "toolscript", "version"); r.code == 0 {
		t.Fatal("node ignores NODE_OPTIONS")
	}
	if out := without.must(t, dir, launcher, "version"); out != "toolscript "+toolscript.Version+"\n" {
		t.Errorf("the launcher of the plugin prints %q", out)
	}
}

// hooked checks that a gateway of the plugin belongs to the process that runs the hook, which is this
// test, and not to an ended process of Node.
func hooked(t *testing.T, m *machine, dir string) {
	t.Helper()
	hook := func(event string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(m.home, "global/bin/toolscript"), "hook", event)
		cmd.Dir, cmd.Env = dir, m.env
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id": "npm", "cwd": %q, "source": "startup", "reason": "other"}`, dir))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("hook %s: %v\n%s", event, err, out)
		}
	}
	here, err := discovery.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	gateways := func(want int) {
		t.Helper()
		if err := harness.Until(t.Context(), func() (bool, error) {
			entries, err := m.runtime().OfClient(here)
			return len(entries) == want, err
		}); err != nil {
			entries, _ := m.runtime().List()
			t.Fatalf("not %d gateways of this process: %v; all gateways: %+v", want, err, entries)
		}
	}
	hook("session-start")
	gateways(1)
	hook("session-end")
	gateways(0)
}

func (m *machine) runtime() discovery.Places { return discovery.In(filepath.Join(m.home, "run")) }

// TestTarballs installs the two tarballs for this platform without a registry, and then removes the
// package that contains the program.
func TestTarballs(t *testing.T) {
	if testing.Short() {
		t.Skip("TestTwoCommands installs the packages, too")
	}
	m := newMachine(t, "http://127.0.0.1:1", false)
	dir := t.TempDir()
	m.must(t, dir, "npm", "install", tarball("toolscript"), tarball(own))
	command := filepath.Join(dir, "node_modules/.bin/toolscript")
	if out := m.must(t, dir, command, "exec", `return 6 * 7`); out != "42\n" {
		t.Errorf("the script returned %q", out)
	}
	for name := range notices(t) {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", own, name)); err != nil {
			t.Errorf("the package with the program has no %s", name)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", own)); err != nil {
		t.Fatal(err)
	}
	if got := m.run(t, dir, "", command, "version"); got.code != 1 || !strings.Contains(got.stderr, "the package "+own+" is missing") || !strings.Contains(got.stderr, "npm install --include=optional toolscript") {
		t.Errorf("without the program: %+v", got)
	}
}
