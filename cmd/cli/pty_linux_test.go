package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// onTerminal runs a command whose output is a terminal.
func (w *world) onTerminal(t *testing.T, columns int, args ...string) (code int, screen string) {
	t.Helper()
	terminal := kit.NewTerminal(t, columns)
	c := w.start(t, command{stdout: terminal.Screen, terminal: terminal.Screen}, args...)
	code = <-c.code
	return code, terminal.Text()
}

// A run that takes more than a second shows a notice, and removes the notice at its end.
func TestWaitingIsVisible(t *testing.T) {
	w := newWorld(t, nil)
	code, screen := w.onTerminal(t, 80, "exec", "await new Promise((done) => setTimeout(done, 1800)); return 1")
	if code != 0 || !strings.Contains(screen, "\r\x1b[Ktoolscript: running (") || !strings.HasSuffix(screen, "\r\x1b[K1\n") {
		t.Errorf("%d %q", code, screen)
	}
}

// A search that waits more than a second for a server that was never started shows a notice, and
// removes the notice before its results.
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

// A terminal shows the start of a long value.
func TestLongValueOnATerminal(t *testing.T) {
	w := newWorld(t, nil)
	code, screen := w.onTerminal(t, 80, "exec", `return "x".repeat(100_000)`)
	if code != 0 || len(screen) > 60_000 || !strings.Contains(screen, "toolscript output run_") {
		t.Errorf("%d, %d bytes: …%q", code, len(screen), screen[max(0, len(screen)-200):])
	}
}

// A terminal shows JSON with indentation, and a list as an aligned table.
func TestValueOnATerminal(t *testing.T) {
	w := newWorld(t, nil)
	const script = `return [{ name: "first", n: 1 }, { name: "x", n: 22 }]`
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"exec", `return { a: [1, "b"], c: {} }`}, "{\n  \"a\": [\n    1,\n    \"b\"\n  ],\n  \"c\": {}\n}\n"},
		{[]string{"exec", "-o", "table", script}, "name   n\nfirst  1\nx      22\n"},
		{[]string{"exec", "-o", "raw", `return "one\ntwo"`}, "one\ntwo\n"},
	} {
		code, screen := w.onTerminal(t, 80, tt.args...)
		const cleared = "\r\x1b[K" // removes the notice that a slow machine may show
		if code != 0 || screen != tt.want && !strings.HasSuffix(screen, cleared+tt.want) {
			t.Errorf("%q: code %d, %q, want %q", tt.args, code, screen, tt.want)
		}
	}
}
