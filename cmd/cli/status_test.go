package cli_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// status --watch prints the state of one gateway after another, as text and as JSON.
func TestStatusWatchOutlivesTheGateway(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	text, lines := &kit.Buffer{}, &kit.Buffer{}
	watches := []*command{w.start(t, command{stdout: text}, "status", "--watch"), w.start(t, command{stdout: lines}, "status", "--watch", "--json")}
	wait := func(n int, what, inText, inJSON string) {
		kit.Eventually(t, fmt.Sprintf("%s is shown %d times", what, n), func() bool {
			return strings.Count(text.String(), inText) >= n && strings.Count(lines.String(), inJSON) >= n
		})
	}
	wait(1, "that no gateway runs", "Status: not running", `"kind":"unavailable"`)
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	for n := range rounds {
		g := w.start(t, command{stdout: &kit.Buffer{}}, "gateway", "start")
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

// status runs --watch prints the runs that go on, and each change of them.
func TestStatusRunsWatch(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	var shown kit.Buffer
	watch := w.start(t, command{stdout: &shown}, "status", "runs", "--watch")
	kit.Shows(t, shown.String, "Status: not running")
	gatewayAt(t, w)
	kit.Shows(t, shown.String, "No script runs.")
	run := w.start(t, command{stdout: &kit.Buffer{}}, "exec", "await new Promise((done) => setTimeout(done, 100_000))")
	kit.Shows(t, shown.String, "\trunning\t")
	run.signals <- os.Signal(syscall.SIGINT)
	<-run.code
	kit.Eventually(t, "the run is gone", func() bool { return strings.Count(shown.String(), "No script runs.") == 2 })
	watch.signals <- os.Signal(syscall.SIGINT)
	if code := <-watch.code; code != 0 || watch.stderr.String() != "" {
		t.Errorf("code %d, %s", code, watch.stderr.String())
	}
}

// status runs --watch ends with an error if it can never find a gateway, and does not say that a gateway which refuses
// it does not run.
func TestStatusRunsWatchOfAWrongURL(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	if r := w.run(t, "status", "runs", "--watch", "-g", "nonsense"); r.code != 1 || !strings.Contains(r.stderr, "not the URL of a gateway") {
		t.Errorf("code %d, %s", r.code, r.stderr)
	}
	_, export := gatewayAt(t, w)
	_, url, _ := strings.Cut(export, "=")
	var shown kit.Buffer
	watch := w.start(t, command{stdout: &shown}, "status", "runs", "--watch", "-g", url[:strings.LastIndexByte(url, '/')]+"/other")
	kit.Shows(t, shown.String, "Status: unknown (no such route, or the capability")
	watch.signals <- os.Signal(syscall.SIGINT)
	if code := <-watch.code; code != 0 || watch.stderr.String() != "" {
		t.Errorf("code %d, %s", code, watch.stderr.String())
	}
}
