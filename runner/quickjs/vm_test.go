package quickjs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/quickjs"
)

func TestClosedVM(t *testing.T) {
	vm, err := engine.NewVM(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := vm.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := vm.Reset(t.Context()); err == nil {
		t.Error("Reset of a closed VM gave no error")
	}
	if out := vm.Run(t.Context(), script(``), newHost()); out.Err == nil || out.Err.Code != toolscript.Internal {
		t.Errorf("Run on a closed VM = %+v, want an internal error", out.Err)
	}
}

func TestCompilationCache(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		e, err := quickjs.NewEngine(t.Context(), quickjs.Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		vm, err := e.NewVM(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// A memory limit above the engine's maximum is reduced to that maximum.
		job := script(`const a = []; for (;;) a.push(new Uint8Array(1e6))`)
		job.Limits.MemoryMB = 4096
		if out := vm.Run(t.Context(), job, newHost()); out.Err == nil || out.Err.Code != toolscript.LimitMemory {
			t.Errorf("Run = %+v, want limit_memory", out.Err)
		}
		if err := vm.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		t.Errorf("the cache holds %d entries (%v), want the compiled engine", len(entries), err)
	}
}

// TestUnusableCache checks that an engine starts with a damaged cache and with a
// folder that cannot be created.
func TestUnusableCache(t *testing.T) {
	damaged := t.TempDir()
	fill(t, damaged)
	err := filepath.WalkDir(damaged, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Truncate(path, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{damaged, "/dev/null/no"} {
		fill(t, dir)
	}
}

func fill(t *testing.T, dir string) {
	t.Helper()
	e, err := quickjs.NewEngine(t.Context(), quickjs.Options{CacheDir: dir})
	if err != nil {
		t.Fatalf("cache %s: %v", dir, err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
