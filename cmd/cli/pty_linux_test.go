package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// pty opens a terminal with a number of columns. screen returns its output.
func pty(t *testing.T, columns uint16) (terminal *os.File, screen func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&text, master) // ends with an error when the terminal is closed
	}()
	return terminal, func() string {
		_ = terminal.Close() // tests check the output
		<-read
		_ = master.Close() // as above
		return strings.ReplaceAll(text.String(), "\r\n", "\n")
	}
}

// onTerminal runs a command whose output is a terminal.
func (w *world) onTerminal(t *testing.T, columns uint16, args ...string) (code int, screen string) {
	t.Helper()
	terminal, read := pty(t, columns)
	c := w.start(t, command{stdout: terminal, terminal: terminal}, args...)
	code = <-c.code
	return code, read()
}

// A run that takes more than a second shows a notice, and removes it later.
func TestWaitingIsVisible(t *testing.T) {
	w := newWorld(t, nil)
	code, screen := w.onTerminal(t, 80, "exec", "await new Promise((done) => setTimeout(done, 1800)); return 1")
	if code != 0 || !strings.Contains(screen, "\r\x1b[Ktoolscript: running (") || !strings.HasSuffix(screen, "\r\x1b[K1\n") {
		t.Errorf("%d %q", code, screen)
	}
}

// A search that waits more than a second for a server that was never started shows a
// notice, and removes it before its results.
func TestSearchShowsThatItWaits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": fmt.Sprintf(
		`{"mcpServers": {"slow": {"command": "sh", "args": ["-c", "sleep 1.5; exec \"$0\" mcp-demo", %q]}}}`, self)})
	code, screen := w.onTerminal(t, 80, "search", "issue")
	shown := strings.LastIndex(screen, "\r\x1b[Ktoolscript: waiting for slow to connect (")
	end := strings.LastIndex(screen, "\r\x1b[K")
	if code != 0 || shown < 0 || end <= shown || strings.Contains(screen[end:], " s)") || !strings.Contains(screen[end:], "\nTool ") {
		t.Errorf("%d %q", code, screen)
	}
}

// The list of servers fits the terminal, whatever texts servers send.
func TestListServersFits(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {
		"one": {"command": "/nonexistent/a/long/path/of/a/server/that/is/not/there"},
		"a-server-with-a-long-name": {"command": "x", "env": {"TOKEN": "${A_VARIABLE_THAT_IS_NOT_SET_ANYWHERE_AT_ALL}"}}}}`})
	w.env = append(w.env, "NO_COLOR=1")
	for _, columns := range []uint16{80, 60} {
		code, screen := w.onTerminal(t, columns, "list-servers")
		last := screen[strings.LastIndex(screen, "\x1b[K")+1:]
		for line := range strings.Lines(strings.TrimPrefix(last, "[K")) {
			if len(strings.TrimSuffix(line, "\n")) > int(columns) {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
		if code != 0 || !strings.Contains(screen, "failed") || strings.Contains(screen, "\x1b[3") {
			t.Errorf("%d %s", code, screen)
		}
	}
}

// A terminal shows the start of a long value.
func TestLongValueOnATerminal(t *testing.T) {
	w := newWorld(t, nil)
	code, screen := w.onTerminal(t, 80, "exec", `return "x".repeat(100_000)`)
	if code != 0 || len(screen) > 60_000 || !strings.Contains(screen, "toolscript output run_") {
		t.Errorf("%d, %d bytes: …%q", code, len(screen), screen[max(0, len(screen)-200):])
	}
}

// Output that is longer than the screen goes through the pager of the user.
func TestPager(t *testing.T) {
	w := newWorld(t, nil)
	w.env = append(w.env, "PAGER=false")
	schema := []string{"config", "schema"}
	for _, tt := range []struct {
		variable string
		args     []string
		paged    bool
	}{
		{"TOOLSCRIPT_PAGER=sed s/^/paged:/", schema, true},
		{"TOOLSCRIPT_PAGER=sed s/^/paged:/", []string{"list-servers", "-o", "json"}, false},
		{"TOOLSCRIPT_PAGER=cat", schema, false},
		{"TOOLSCRIPT_PAGER=", schema, false},
		{"TOOLSCRIPT_PAGER=sed s/^/paged:/\x00TERM=dumb", schema, false},
	} {
		here := *w
		here.env = append(here.env[:len(here.env):len(here.env)], strings.Split(tt.variable, "\x00")...)
		code, screen := here.onTerminal(t, 80, tt.args...)
		lines := strings.Count(screen, "\n")
		if code != 0 || tt.paged != strings.Contains(screen, "paged:{") || tt.paged && strings.Count(screen, "paged:") != lines || lines == 0 {
			t.Errorf("%q %v: code %d, %.200q", tt.variable, tt.args, code, screen)
		}
	}
	var piped output
	w.env = append(w.env, "TOOLSCRIPT_PAGER=sed s/^/paged:/")
	c := w.start(t, command{stdout: &piped}, schema...)
	if code := <-c.code; code != 0 || strings.Contains(piped.String(), "paged") {
		t.Errorf("a pipe: code %d, %.100q", code, piped.String())
	}
}

// A user who leaves the pager ends the command in silence.
func TestPagerThatIsLeft(t *testing.T) {
	w := newWorld(t, nil)
	w.env = append(w.env, "TOOLSCRIPT_PAGER=head -n 1")
	code, screen := w.onTerminal(t, 80, "config", "schema", "-o", "yaml")
	if code != 0 && code != 141 || strings.Count(screen, "\n") != 1 {
		t.Errorf("code %d, %q", code, screen)
	}
}

// liveTerminal opens a terminal whose output can be read while programs write to it.
func liveTerminal(t *testing.T) (terminal *os.File, shown func() string) {
	t.Helper()
	terminal, _, shown = openTerminal(t)
	return terminal, shown
}

// openTerminal is liveTerminal. What is written to master is typed at the terminal.
func openTerminal(t *testing.T) (terminal, master *os.File, shown func() string) {
	t.Helper()
	terminal, master, output := exactTerminal(t)
	return terminal, master, func() string { return strings.ReplaceAll(output(), "\r\n", "\n") }
}

// exactTerminal is openTerminal with every byte that was written.
func exactTerminal(t *testing.T) (terminal, master *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text output
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&text, master) // ends with an error when the terminal is closed
	}()
	t.Cleanup(func() {
		_ = terminal.Close() // tests check the output
		<-read
		_ = master.Close() // as above
	})
	return terminal, master, text.String
}
