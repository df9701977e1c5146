package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLibraries checks that the declarations of the engine's globals are those of the compiler in use.
func TestLibraries(t *testing.T) {
	const folder = "../../runner/typescript"
	files, err := engineLibraries(folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(got) != want {
			t.Errorf("runner/typescript/%s is not of this compiler (%v); run: go run ./release/generate libraries", name, err)
		}
	}
}
