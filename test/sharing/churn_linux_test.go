package sharing_test

import (
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

var (
	churned = flag.Int("gateways", 12, "how many gateways TestChurn starts and ends")
	atOnce  = flag.Int("at-once", 6, "how many of them run at once")
)

// TestChurn starts gateways with their own server and a shared one, and ends half of them with SIGKILL,
// every fourth before it is ready. No process, socket or file is left, and the hub then has no gateway
// and no service.
func TestChurn(t *testing.T) {
	w := newWorld(t, `{"mcpServers": {"count": {SERVER, "shared": true}, "own": {SERVER}}, "hub": {"idle": "2s"}}`)
	temp := filepath.Join(w.Home, "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	w.Env = []string{"TMPDIR=" + temp}
	began := time.Now()
	var killed, stopped int
	for first := 0; first < *churned; first += *atOnce {
		var batch sync.WaitGroup
		for i := first; i < min(first+*atOnce, *churned); i++ {
			kill := i%2 == 0
			if kill {
				killed++
			} else {
				stopped++
			}
			batch.Go(func() { w.live(kill, kill && i%4 == 0) })
		}
		batch.Wait()
		if t.Failed() {
			return
		}
	}
	w.live(false, false) // it writes the tool lists again, and removes what killed gateways have left there
	w.until(func() bool { return len(w.hub().Gateways) == 0 })
	w.until(func() bool { return !w.hub().Running })
	w.until(func() bool { return len(w.Started()) == 0 })
	files := w.files("run")
	t.Logf("%d gateways stopped and %d killed in %.0f s; files in the runtime folder before gateway prune: %d", stopped, killed, time.Since(began).Seconds(), len(files))
	if sockets := w.Sockets(); len(sockets) > 0 {
		t.Errorf("sockets left: %v", sockets)
	}
	if out, err := w.run("gateway", "prune"); err != nil {
		t.Errorf("gateway prune: %v, %s", err, out)
	}
	if files := w.files("run"); len(files) > 0 {
		t.Errorf("files left in the runtime folder: %v", files)
	}
	if files := w.files("temp"); len(files) > 0 {
		t.Errorf("temporary files left: %v", files)
	}
	for _, file := range w.files(".") {
		if unfinished.MatchString(filepath.Base(file)) {
			t.Errorf("temporary file left: %s", file)
		}
	}
}

// unfinished matches the names of files that were written but not renamed.
var unfinished = regexp.MustCompile(`^\..*-[0-9]+$|\.tmp$`)

// live starts one gateway, uses it, and ends it.
func (w *world) live(kill, early bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), time.Minute)
	defer cancel()
	g, err := w.StartGateway(ctx, "--no-observe")
	if err != nil {
		w.Error(err)
		return
	}
	below := func() []harness.Process { return harness.Descendants(g.PID()) }
	if !early {
		if err := g.Ready(ctx); err != nil {
			w.Errorf("a gateway is not ready: %v", err)
		}
		for _, tool := range []string{"count__bump", "own__bump"} {
			if status, err := g.Post(ctx, "/tools/"+tool, map[string]any{}, nil); err != nil || status != http.StatusOK {
				w.Errorf("%s: HTTP %d, %v", tool, status, err)
			}
		}
	}
	processes := below()
	if kill {
		_ = g.Signal(syscall.SIGKILL) // the gateway runs, so this does not fail
		_ = g.Wait()                  // killed, so an error is expected
	} else if err := g.Stop(); err != nil {
		w.Errorf("a gateway ended with %v", err)
	}
	if err := harness.Until(ctx, func() (bool, error) { return len(harness.Alive(processes)) == 0, nil }); err != nil {
		w.Errorf("left running: %+v", harness.Alive(processes))
	}
}

// files returns the files in a folder below the home folder.
func (w *world) files(folder string) []string {
	w.Helper()
	paths, err := harness.Files(filepath.Join(w.Home, folder))
	if err != nil {
		w.Fatal(err)
	}
	return paths
}
