package deno_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/deno"
)

func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts and copies of them")
	}
	real := executable(t)
	empty, linked, wrapped := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Symlink(real, filepath.Join(linked, "deno")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(wrapped, "deno")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec deno \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		search deno.Search
		path   string // "" if there is none
		reason string
	}{
		{"named", deno.Search{Named: real, Path: empty}, real, ""},
		{"in PATH", deno.Search{Path: empty + ":" + linked}, filepath.Join(linked, "deno"), ""},
		{"installed", deno.Search{Path: empty, Installed: linked}, filepath.Join(linked, "deno"), ""},
		{"a script in PATH is passed over", deno.Search{Path: wrapped + ":" + linked}, filepath.Join(linked, "deno"), ""},
		{"nowhere", deno.Search{Path: empty}, "", "toolscript deno install"},
		{"a name that is wrong is no wish for another", deno.Search{Named: filepath.Join(empty, "deno"), Path: linked}, "", "TOOLSCRIPT_DENO"},
		{"named is a script", deno.Search{Named: script}, "", "must be Deno itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.search.Find(t.Context())
			if got.Path != c.path || got.Available != (c.path != "") || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("Find = %+v, want %q, %q", got, c.path, c.reason)
			}
		})
	}
}
