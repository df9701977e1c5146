package cli_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// notifying is an output that tells when it has a text.
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

// status --watch prints the state and each change of it, and ends without an error.
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
