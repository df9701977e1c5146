//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// errTaken is the error of hold for a new file that another process is removing.
var errTaken = errors.New("another process removes the temporary file")

// tryLock locks an open file until it is closed. It returns false if another process has the
// lock, and an error on a file system without locks.
func tryLock(f *os.File) (free bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// hold locks a new file, to show other processes that its writer is alive. It returns errTaken if
// another process has found the file before it was locked, and removes it.
func hold(f *os.File) error {
	if free, err := tryLock(f); !free && err == nil {
		return errTaken
	}
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(f.Name()) //nolint:gosec // the path comes from the program
	if err != nil || !os.SameFile(mine, named) {
		return errTaken
	}
	return nil
}

// finish renames the file and then closes it, so that the file is locked until it has its new name.
func finish(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil { //nolint:gosec // the path comes from the program
		return err
	}
	return f.Close()
}

// removeLeft removes a file whose writer has ended.
func removeLeft(path string) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // the path comes from the program
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // only locked
	if free, err := tryLock(f); free || err != nil && old(f) {
		_ = os.Remove(path) // a later writer tries again
	}
}

// syncFolder makes a rename survive a crash of the computer, if the file system
// supports that.
func syncFolder(path string) {
	if dir, err := os.Open(path); err == nil { //nolint:gosec // the path comes from the program
		_ = dir.Sync() // not every file system supports it
		_ = dir.Close()
	}
}
