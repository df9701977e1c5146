//go:build !unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// hold does nothing, because the system does not remove open files.
func hold(*os.File) error { return nil }

// busyLimit is how long finish waits for processes that read a file.
const busyLimit = 2 * time.Second

// finish closes the file first, because an open file cannot be renamed. Windows also refuses to replace a file that a
// process reads.
func finish(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	const sharingViolation = syscall.Errno(32)
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		err := os.Rename(f.Name(), path) //nolint:gosec // the path comes from the program
		busy := errors.Is(err, fs.ErrPermission) || errors.Is(err, sharingViolation)
		if !busy || time.Since(begin) > busyLimit {
			return err
		}
	}
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
