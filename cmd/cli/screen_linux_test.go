package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/test/kit"
)

// screenOf returns functions that wait until a line of the screen of 80 columns and 24 lines matches a pattern, and that
// press keys.
func screenOf(t *testing.T, terminal *kit.Terminal) (wait, press func(string)) {
	t.Helper()
	screen := func() string { return emulate(terminal.Raw(), 80, 24).String() }
	wait = func(pattern string) {
		t.Helper()
		re := regexp.MustCompile("(?m)" + pattern)
		defer func() {
			if t.Failed() {
				t.Log(screen())
			}
		}()
		kit.Eventually(t, "the screen has "+pattern, func() bool { return re.MatchString(screen()) })
	}
	press = func(keys string) {
		if _, err := terminal.Keyboard.WriteString(keys); err != nil {
			t.Error(err)
		}
	}
	return wait, press
}

// TestStatusScreen uses a real gateway on a terminal of 80 columns and 24 lines: a server is killed and
// restarts, a run is aborted, the gateway ends and another one starts, and at the end the terminal
// is restored. The test has no short form, because the screen changes at the speed of the gateway.
func TestStatusScreen(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"demo": {"command": "sh", "args": ["-c", "echo $$ >%[1]s/pid; test ! -e %[1]s/broken || exit 7; exec \"$0\" mcp-demo", %[2]q]}}}`, dir, self)})
	w.env = append(w.env, "TERM=xterm-256color", "NO_COLOR=1")
	terminal := kit.NewTerminal(t, 80)
	before, err := unix.IoctlGetTermios(int(terminal.Screen.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	top := w.start(t, command{stdin: terminal.Screen, stdout: terminal.Screen}, "status", "--watch")
	wait, press := screenOf(t, terminal)
	wait(`^No connection: no gateway runs `)
	g := w.start(t, command{stdout: &kit.Buffer{}}, "gateway", "start")
	wait(`demo +ready +stdio +5 `)
	wait(`^  Nothing\. Everything that is configured works\.$`)

	run := w.start(t, command{stdout: &kit.Buffer{}}, "exec", "await new Promise((done) => setTimeout(done, 100_000))")
	press("3")
	wait(`^> run_\w+ +running `)
	press("a")
	wait(`^Abort run_\w+\? \(y/n\)`)
	press("y")
	wait(`^run_\w+ was aborted$`)
	if code := <-run.code; code == 0 {
		t.Error("the run was not aborted")
	}
	wait(`^> run_\w+ +failed, cancelled `)

	press("2")
	if err := os.WriteFile(dir+"/broken", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "/pid")
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(`^> demo +backoff `)
	press("1")
	wait(`^> error +server demo: not connected`)
	if err := os.Remove(dir + "/broken"); err != nil {
		t.Fatal(err)
	}
	press("r")
	wait(`^Restart demo\?`)
	press("y")
	wait(`demo +ready `)

	g.signals <- os.Interrupt
	if code := <-g.code; code != 0 {
		t.Errorf("the gateway ended with %d", code)
	}
	wait(`^toolscript  DISCONNECTED `)
	gatewayAt(t, w)
	wait(`^toolscript  live `)
	wait(`demo +ready `)
	press("q")
	if code := <-top.code; code != 0 || top.stderr.String() != "" {
		t.Errorf("code %d, %s", code, top.stderr)
	}
	kit.Eventually(t, "the first screen of the terminal and its cursor are back", func() bool {
		e := emulate(terminal.Raw(), 80, 24)
		return !e.alternate && !e.hidden
	})
	after, err := unix.IoctlGetTermios(int(terminal.Screen.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %v, %+v, %+v", err, before, after)
	}
	if coloured := regexp.MustCompile("\x1b\\[[0-9;]*3[0-7]m").FindString(terminal.Raw()); coloured != "" {
		t.Errorf("there are colours in spite of NO_COLOR: %q", coloured)
	}
}

// TestGatewaysScreen uses two real gateways with one shared server on a terminal of 80 columns and 24 lines: one
// gateway is killed, and keys remove its leftovers, restart the server and end the other gateway.
func TestGatewaysScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := newWorld(t, map[string]string{
		"home/.toolscript.json": fmt.Sprintf(`{"mcpServers": {"demo": {"shared": true, "command": "sh", "args": ["-c", "echo start >>%[1]s/starts; exec \"$0\" mcp-demo", %[2]q]}}}`, dir, self),
	})
	other := dir + "/other.json"
	if err := os.WriteFile(other, []byte(`{"mcpServers": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "TERM=xterm-256color", "NO_COLOR=1")
	t.Cleanup(func() { w.run(t, "hub", "stop") })
	if r := w.run(t, "status", "gateways", "--watch"); r.code != 1 || !strings.Contains(r.stderr, "needs a terminal") {
		t.Errorf("without a terminal: %+v", r)
	}
	terminal := kit.NewTerminal(t, 80)
	top := w.start(t, command{stdin: terminal.Screen, stdout: terminal.Screen}, "status", "gateways", "--watch")
	wait, press := screenOf(t, terminal)
	wait(`^toolscript  0 gateways, 0 hubs, 0 shared servers$`)
	wait(`^  No gateway runs, and no hub\.$`)
	process := func(args ...string) *exec.Cmd {
		cmd := exec.Command(self, args...)
		cmd.Dir, cmd.Env = w.dir, w.env
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it still runs
		return cmd
	}
	g, killed := process("gateway", "start"), process("gateway", "start", "-c", other)
	wait(`127\.0\.0\.1:\d+ .* alive .* 1 of 1 servers`)
	wait(`^  hub .* alive .* 1 gateway `)
	wait(`^  server .*demo.* ready .* 1 gateway `)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // killed, so an error is expected
	wait(` stale `)
	wait(`^    → toolscript gateway prune$`)
	press("/prune\r")
	wait(`^> gateway .* stale `)
	press("x")
	wait(`^Run toolscript gateway prune\? \(y/n\)`)
	press("y")
	wait(`^  Nothing matches prune`)
	press("/\x15demo\r")
	wait(`^> server .*demo.* ready `)
	press("r")
	wait(`^Run toolscript servers restart demo -g http`)
	press("y")
	wait(`^Restarted demo: ready`)
	kit.Eventually(t, "the server has started again", func() bool {
		text, _ := os.ReadFile(dir + "/starts") // the server writes this file
		return strings.Count(string(text), "start") == 2
	})
	wait(`^> server .*demo.* ready `)
	press("/\x15alive\r")
	wait(`^> gateway `)
	press("xy")
	if err := g.Wait(); err != nil {
		t.Errorf("the gateway ended with %v", err)
	}
	wait(`^toolscript  0 gateways, 1 hub, 1 shared server`)
	press("q")
	if code := <-top.code; code != 0 || top.stderr.String() != "" {
		t.Errorf("code %d, %s", code, top.stderr)
	}
}
