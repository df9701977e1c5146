package deno

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// scratch is the folder of one engine, with a subfolder for each process. The engine holds a
// lock on it, so that the next engine can recognise the folders of killed engines.
type scratch struct {
	path string
	lock *os.File
}

// newScratch creates a scratch below parent and removes scratches that no engine locks.
func newScratch(parent string) (*scratch, error) {
	if parent == "" {
		parent = filepath.Join(os.TempDir(), fmt.Sprintf("toolscript-deno-%d", os.Getuid()))
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	if err := private(parent); err != nil {
		return nil, err
	}
	sweep(parent)
	path, err := os.MkdirTemp(parent, "engine-")
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a folder that this process created
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	if _, err := hold(lock); err != nil {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(path))
	}
	return &scratch{path, lock}, nil
}

const lockName = "lock"

// private makes a folder inaccessible to other users, or returns an error if the user does not own it.
func private(folder string) error {
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir() || !ownedByUs(info):
		return fmt.Errorf("%s is not a folder of yours", folder)
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(folder, 0o700) //nolint:gosec // a folder needs its execute bit
	}
	return nil
}

// sub creates a subfolder for one process.
func (s *scratch) sub() (string, error) { return os.MkdirTemp(s.path, "") }

func (s *scratch) remove() error {
	return errors.Join(os.RemoveAll(s.path), s.lock.Close())
}

// sweep removes the folders of engines that have ended. If it fails, the next engine tries
// again.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, "engine-*"))
	for _, path := range left {
		lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0) //nolint:gosec // in a folder of this user
		if err != nil {                                                       // being created or removed
			continue
		}
		if held, err := hold(lock); err == nil && held {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}
