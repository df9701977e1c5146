package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newTerminal opens a pseudo-terminal. Text written to keyboard is read from screen.
func newTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	return keyboard, screen
}

// The person at the terminal decides once whether an authorization server may have
// the client's secret.
func TestAuthIssuerIsConfirmedAtTheTerminal(t *testing.T) {
	w, as := newClientCredentialsWorld(t, "")
	for _, answer := range []string{"no", "", "y"} {
		keyboard, screen := newTerminal(t)
		if _, err := fmt.Fprintln(keyboard, answer); err != nil {
			t.Fatal(err)
		}
		before := as.Count("token")
		var stdout output
		c := w.start(t, command{stdin: screen, stdout: &stdout}, "auth", "guarded")
		code := <-c.code
		if !strings.Contains(c.stderr.String(), as.URL+".\n") {
			t.Errorf("not asked: %s", c.stderr)
		}
		agreed := answer == "y"
		if (code == 0) != agreed || (as.Count("token") > before) != agreed {
			t.Errorf("answer %q: exit %d, %d token requests; stderr:\n%s", answer, code, as.Count("token")-before, c.stderr)
		}
	}
	if r := w.run(t, "auth"); !strings.Contains(r.stdout, "✓\tguarded\tauthenticated") {
		t.Errorf("table: %s", r.stdout)
	}
}

// echoes reports whether a terminal shows what is typed.
func echoes(t *testing.T, screen *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
