//go:build unix

package hub

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a lock that belongs to the open file. Other processes may inherit it.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
