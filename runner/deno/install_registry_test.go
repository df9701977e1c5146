//go:build integration

package deno_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/deno"
)

// TestInstallFromTheRegistry installs the pinned Deno from npm's configured registry,
// and runs a script with it.
func TestInstallFromTheRegistry(t *testing.T) {
	if testing.Short() {
		t.Skip("it downloads Deno")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here")
	}
	path, err := deno.Install(t.Context(), filepath.Join(t.TempDir(), "deno", deno.Version), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	e, err := deno.NewEngine(t.Context(), deno.Options{Executable: path, Folder: filepath.Join(t.TempDir(), "scratch")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // the test removes the folder
	if out := denoRun(t, e, job(t, `return 6 * 7`), &host{}); out.Err != nil || string(out.Value) != "42" {
		t.Errorf("Run = %s, %+v", out.Value, out.Err)
	}
}

// TestPinnedContents checks that npm's registry has the pinned package of every
// platform.
func TestPinnedContents(t *testing.T) {
	if testing.Short() {
		t.Skip("it downloads Deno")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not here")
	}
	for platform, p := range deno.Pinned() {
		out, err := exec.CommandContext(t.Context(), npm, "view", "--loglevel=error", p.Name+"@"+p.Version, "dist.integrity").Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != p.Integrity {
			t.Errorf("%s: npm has %q as %s %s, %v; %s is pinned", platform, got, p.Name, p.Version, err, p.Integrity)
		}
	}
}
