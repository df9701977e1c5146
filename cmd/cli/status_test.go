package cli_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notifying is an output that signals when it has received a text.
type notifying struct {
	output
	text string
	has  chan struct{} // closed once
}

func (n *notifying) Write(p []byte) (int, error) {
	before := strings.Contains(n.String(), n.text)
	size, err := n.output.Write(p)
	if !before && strings.Contains(n.String(), n.text) {
		close(n.has)
	}
	return size, err
}

// status --watch prints the state of one gateway after another, as text and as JSON.
func TestStatusWatchOutlivesTheGateway(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	text, lines := &output{}, &output{}
	watches := []*command{w.start(t, command{stdout: text}, "status", "--watch"), w.start(t, command{stdout: lines}, "status", "--watch", "--json")}
	wait := func(n int, what, inText, inJSON string) {
		for deadline := time.After(time.Minute); strings.Count(text.String(), inText) < n || strings.Count(lines.String(), inJSON) < n; {
			select {
			case <-deadline:
				t.Fatalf("%s was not shown %d times:\n%s\n%s", what, n, text.String(), lines.String())
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	wait(1, "that no gateway runs", "Status: not running", `"kind":"unavailable"`)
	for n := range 2 {
		g := w.start(t, command{stdout: &output{}}, "gateway", "start")
		wait(n+1, "the server", "demo\tready", `"state":"ready"`)
		g.signals <- os.Interrupt
		if code := <-g.code; code != 0 {
			t.Errorf("the gateway ended with %d: %s", code, g.stderr)
		}
		wait(n+2, "the end of the gateway", "Status: not running", `"kind":"unavailable"`)
	}
	for _, watch := range watches {
		watch.signals <- syscall.SIGINT
		if code := <-watch.code; code != 0 {
			t.Errorf("code %d, %s", code, watch.stderr.String())
		}
	}
}

// status --watch prints the state and each change, and ends without an error.
func TestStatusWatch(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	shown := &notifying{text: "demo\tready", has: make(chan struct{})}
	watch := w.start(t, command{stdout: shown}, "status", "--watch")
	gatewayAt(t, w)
	select {
	case <-shown.has:
	case <-time.After(time.Minute):
		t.Errorf("the server was not shown:\n%s%s", shown.String(), watch.stderr.String())
	}
	watch.signals <- os.Signal(syscall.SIGINT)
	if code := <-watch.code; code != 0 || watch.stderr.String() != "" {
		t.Errorf("code %d, %s", code, watch.stderr.String())
	}
}
