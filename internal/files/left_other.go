//go:build !unix

package files

import (
	"errors"
	"os"
)

// hold does nothing, because the system does not remove open files.
func hold(*os.File) error { return nil }

// finish closes the file first, because an open file cannot be renamed.
func finish(f *os.File, path string) error {
	return errors.Join(f.Close(), os.Rename(f.Name(), path)) //nolint:gosec // the path comes from the program
}

// removeLeft removes a file if it is old.
func removeLeft(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	left := old(f)
	_ = f.Close() // only inspected
	if left {
		_ = os.Remove(path) // a later writer tries again
	}
}

// syncFolder does nothing: the system has no such operation.
func syncFolder(string) {}
