// Package unsteady has tests that fail in some runs.
package unsteady

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// first reports whether a test runs for the first time in the folder that a variable names.
func first(t *testing.T) bool {
	t.Helper()
	path := filepath.Join(os.Getenv("UNSTEADY"), strings.ReplaceAll(t.Name(), "/", "-"))
	_, err := os.Stat(path)
	if written := os.WriteFile(path, nil, 0o600); written != nil {
		t.Fatal(written)
	}
	return err != nil
}

func TestSteady(t *testing.T) {
	if !first(t) {
		t.Error("it ran twice")
	}
}

func TestFailsOnce(t *testing.T) {
	t.Run("below", func(t *testing.T) {
		if first(t) {
			t.Error("the first run")
		}
	})
}

func TestHangsOnce(t *testing.T) {
	if first(t) {
		os.Exit(3) // as after the limit of a process
	}
}

func TestComesAfter(*testing.T) {}

func TestFails(t *testing.T) { t.Error("always") }

func TestCases(t *testing.T) {
	files, err := filepath.Glob("cases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			if strings.Contains(file, "hangs") && first(t) {
				select {}
			}
		})
	}
}
