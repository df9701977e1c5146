package sharing_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/harness"
)

// failure is the body of an error response.
type failure struct {
	Error string          `json:"error"`
	Kind  toolscript.Kind `json:"kind"`
	Sent  toolscript.Sent `json:"sent"`
}

// suspend stops a process until resume is called, or at most until the end of the test. It returns when
// all threads have stopped; until then, a thread could still answer a call.
func (w *world) suspend(pid int) (resume func()) {
	w.Helper()
	resume = func() { _ = syscall.Kill(pid, syscall.SIGCONT) } // it may have ended already
	w.Cleanup(resume)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		w.Fatal(err)
	}
	w.until(func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is valid
		return len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool { return !stopped(path) })
	})
	return resume
}

// stopped reports whether a thread has stopped. In its stat file, the state follows the name in parentheses.
func stopped(stat string) bool {
	text, err := os.ReadFile(stat)
	_, state, _ := strings.Cut(string(text), ") ")
	return err != nil || strings.HasPrefix(state, "T") // without the file, the thread has ended
}

// TestTimeoutWhileTheHubHangs: a call ends at its time limit, before the connection to the hub counts as
// lost, and its error says that it may have been executed.
func TestTimeoutWhileTheHubHangs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		config string
		hub    func(w *world, url string) (pid func() int)
	}{
		{"of this host", `{"mcpServers": {"count": {SERVER, "shared": true, "timeout": "2s"}}}`, func(w *world, _ string) func() int {
			return func() int { return w.hub().PID }
		}},
		{"of a fleet and stateless", `{"mcpServers": {"count": {"fleet": true, "timeout": "2s"}}, "fleet": {"url": "URL"}}`, func(w *world, url string) func() int {
			h := w.hubOfFleet(url, true)
			return func() int { return h.Process.Pid }
		}},
		{"of a fleet with an owner", `{"mcpServers": {"count": {"fleet": true, "timeout": "2s"}}, "fleet": {"url": "URL"}}`, func(w *world, url string) func() int {
			h := w.hubOfFleet(url, false)
			return func() int { return h.Process.Pid }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newNATS(t)
			n.start()
			w := newWorld(t, strings.ReplaceAll(tt.config, "URL", n.url()))
			pid := tt.hub(w, n.url())
			g := w.gateway("a")
			w.await(g, "count", isReady)
			w.bump(g)
			resume := w.suspend(pid())
			var failed failure
			status, err := g.Post(t.Context(), "/tools/count__bump", map[string]any{}, &failed)
			if err != nil || status != http.StatusFailedDependency || failed.Kind != toolscript.Timeout || failed.Sent != toolscript.SentUnknown {
				t.Errorf("HTTP %d, %+v, %v; want timeout, sent unknown, with status 424", status, failed, err)
			}
			resume()
			w.until(func() bool {
				_, status, err := tryBump(t.Context(), g)
				return err == nil && status == http.StatusOK
			})
		})
	}
}

// TestTimeoutWhileTheHubReadsNothing: the arguments of the calls do not fit into the socket's buffer, so
// writing them blocks. The calls still end at their time limit. Calls that were not written count as
// not sent.
func TestTimeoutWhileTheHubReadsNothing(t *testing.T) {
	t.Parallel()
	const calls = 40
	w := newWorld(t, `{"mcpServers": {"count": {SERVER, "shared": true, "timeout": "2s"}}}`)
	g := w.gateway("a")
	w.ready(g)
	w.suspend(w.hub().PID)
	answers := make(chan failure, calls)
	text := strings.Repeat("x", 60<<10) // arguments that are sent in one piece
	for range calls {
		go func() { answers <- w.echo(g, text) }()
	}
	unsent := 0
	for range calls {
		f := <-answers
		if f.Kind != toolscript.Timeout || f.Sent != toolscript.SentNo && f.Sent != toolscript.SentUnknown {
			t.Errorf("%+v, want timeout, sent no or unknown", f)
		}
		if f.Sent == toolscript.SentNo {
			unsent++
		}
	}
	if unsent == 0 {
		t.Error("all calls count as sent")
	}
}

func (w *world) echo(g *harness.Gateway, text string) (f failure) {
	if _, err := g.Post(w.Context(), "/tools/count__echo", map[string]any{"text": text}, &f); err != nil {
		w.Error(err)
	}
	return f
}
