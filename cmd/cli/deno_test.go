package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/deno"
)

// pinnedDeno returns the path of the Deno version that all tests use.
func pinnedDeno(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../test/node_modules/@deno/linux-x64-glibc/deno")
	if _, missing := os.Stat(path); err != nil || missing != nil || runtime.GOOS != "linux" {
		t.Skip("the Deno of test/package.json is not here: run npm ci in test")
	}
	return path
}

// TestDenoIsInstalledWhileAGatewayRuns: a running gateway without Deno finds one that is
// installed later.
func TestDenoIsInstalledWhileAGatewayRuns(t *testing.T) {
	pinned := pinnedDeno(t)
	w := newWorld(t, nil)
	data := t.TempDir()
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+data, "PATH="+t.TempDir())
	_, export := gatewayAt(t, w)
	w.env = append(w.env, strings.TrimPrefix(export, "export "))
	script := []string{"exec", "--engine", "deno", "return 6 * 7"}
	if r := w.run(t, script...); r.code != 1 || !strings.Contains(r.stderr, "toolscript deno install") {
		t.Errorf("without Deno: %+v", r)
	}
	folder := filepath.Join(data, "deno", deno.Version)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pinned, filepath.Join(folder, "deno")); err != nil {
		t.Fatal(err)
	}
	if r := w.run(t, script...); r.code != 0 || strings.TrimSpace(r.stdout) != "42" {
		t.Errorf("with Deno: %+v", r)
	}
}

// TestInstallSaysWhatIsMissing: without npm, the error names an alternative.
func TestInstallSaysWhatIsMissing(t *testing.T) {
	w := newWorld(t, nil)
	t.Setenv("PATH", t.TempDir())
	r := w.run(t, "deno", "install")
	if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "npm") {
		t.Errorf("deno install without npm: %+v", r)
	}
}
