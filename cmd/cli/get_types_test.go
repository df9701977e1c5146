package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// get-types --watch writes the types again when the servers of the gateway change, and ends without an error.
func TestGetTypesWatch(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	gatewayAt(t, w)
	const wrote = "wrote toolscript.d.ts, toolscript-globals.d.ts and tsconfig.json to types\n"
	first := &notifying{text: wrote, has: make(chan struct{})}
	second := &notifying{text: wrote + wrote, has: make(chan struct{})}
	watch := w.start(t, command{stdout: io.MultiWriter(first, second)}, "get-types", "--out", "types", "--watch")
	arrives := func(n *notifying) {
		t.Helper()
		select {
		case <-n.has:
		case <-time.After(time.Minute):
			t.Fatalf("not written:\n%s%s", n.String(), watch.stderr.String())
		}
	}
	arrives(first)
	config := filepath.Join(w.dir, "../home/.toolscript.json")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(demoConfig, `"demo"`, `"other"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.run(t, "gateway", "reload"); r.code != 0 {
		t.Fatalf("reload: %+v", r)
	}
	arrives(second)
	if text, err := os.ReadFile(filepath.Join(w.dir, "types/toolscript.d.ts")); err != nil || !strings.Contains(string(text), "other:") {
		t.Errorf("%v: the new server is not in the types:\n%s", err, text)
	}
	watch.signals <- os.Interrupt
	if code := <-watch.code; code != 0 || strings.Contains(watch.stderr.String(), "not read") {
		t.Errorf("code %d, %s", code, watch.stderr.String())
	}
}
