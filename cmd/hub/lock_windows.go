package hub

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes a lock that ends with the process.
func lockFile(f *os.File) error {
	const all = ^uint32(0)
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, all, all, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}
