package cli_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTop uses a real gateway on a terminal of 80 columns and 24 lines: a server is killed and
// comes back, a run is aborted, the gateway ends and another one comes, and the terminal is
// as it was before.
func TestTop(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"demo": {"command": "sh", "args": ["-c", "echo $$ >%[1]s/pid; test ! -e %[1]s/broken || exit 7; exec \"$0\" mcp-demo", %[2]q]}}}`, dir, self)})
	w.env = append(w.env, "TERM=xterm-256color", "NO_COLOR=1")
	if r := w.run(t, "top"); r.code != 1 || !strings.Contains(r.stderr, "toolscript status --watch --json") {
		t.Errorf("without a terminal: %+v", r)
	}
	terminal, master, raw := exactTerminal(t)
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	none := w.start(t, command{stdin: terminal, stdout: terminal}, "top")
	if code := <-none.code; code != 1 || !strings.Contains(none.stderr.String(), "toolscript gateway start") {
		t.Errorf("without a gateway: %d, %s", code, none.stderr)
	}
	g := w.start(t, command{stdout: &output{}}, "gateway", "start")
	until(t, "the gateway runs", func() bool { return w.run(t, "status").code == 0 })
	top := w.start(t, command{stdin: terminal, stdout: terminal}, "top")
	screen := func() string { return emulate(raw(), 80, 24).String() }
	wait := func(pattern string) {
		t.Helper()
		re := regexp.MustCompile("(?m)" + pattern)
		defer func() {
			if t.Failed() {
				t.Log(screen())
			}
		}()
		until(t, "the screen has "+pattern, func() bool { return re.MatchString(screen()) })
	}
	press := func(keys string) {
		if _, err := master.WriteString(keys); err != nil {
			t.Error(err)
		}
	}
	wait(`demo +ready +stdio +5 `)
	wait(`^  Nothing\. Everything that is configured works\.$`)

	run := w.start(t, command{stdout: &output{}}, "exec", "await new Promise((done) => setTimeout(done, 100_000))")
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
	until(t, "the first screen of the terminal and its cursor are back", func() bool {
		e := emulate(raw(), 80, 24)
		return !e.alternate && !e.hidden
	})
	after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal is not as it was: %v, %+v, %+v", err, before, after)
	}
	if coloured := regexp.MustCompile("\x1b\\[[0-9;]*3[0-7]m").FindString(raw()); coloured != "" {
		t.Errorf("there are colours in spite of NO_COLOR: %q", coloured)
	}
}
