package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// get-types --watch writes the types again when the servers of the gateway change, and ends without an error.
func TestGetTypesWatch(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	gatewayAt(t, w)
	const wrote = "wrote toolscript.d.ts, toolscript-globals.d.ts and tsconfig.json to types\n"
	var stdout kit.Buffer
	watch := w.start(t, command{stdout: &stdout}, "get-types", "--out", "types", "--watch")
	kit.Shows(t, stdout.String, wrote)
	config := filepath.Join(w.dir, "../home/.toolscript.json")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(demoConfig, `"demo"`, `"other"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.run(t, "gateway", "reload"); r.code != 0 {
		t.Fatalf("reload: %+v", r)
	}
	kit.Shows(t, stdout.String, wrote+wrote)
	if text, err := os.ReadFile(filepath.Join(w.dir, "types/toolscript.d.ts")); err != nil || !strings.Contains(string(text), "other:") {
		t.Errorf("%v: the new server is not in the types:\n%s", err, text)
	}
	watch.signals <- os.Interrupt
	if code := <-watch.code; code != 0 || strings.Contains(watch.stderr.String(), "not read") {
		t.Errorf("code %d, %s", code, watch.stderr.String())
	}
}
