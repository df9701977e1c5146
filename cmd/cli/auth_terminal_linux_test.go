package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/test/kit"
)

// The person at the terminal decides once whether an authorization server may have
// the client's secret.
func TestAuthIssuerIsConfirmedAtTheTerminal(t *testing.T) {
	w, as := newClientCredentialsWorld(t, "")
	for _, answer := range []string{"no", "", "y"} {
		terminal := kit.NewTerminal(t, 80)
		if _, err := fmt.Fprintln(terminal.Keyboard, answer); err != nil {
			t.Fatal(err)
		}
		before := as.Count("token")
		var stdout kit.Buffer
		c := w.start(t, command{stdin: terminal.Screen, stdout: &stdout}, "auth", "guarded")
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
