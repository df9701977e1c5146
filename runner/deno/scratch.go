package deno

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript/internal/files"
)

// scratch is the folder of one engine, with a subfolder for each process. The engine holds a
// lock on it, so that the next engine can recognise the folders of killed engines.
type scratch struct {
	path   string
	unlock func()
}

// newScratch creates a scratch below parent and removes scratches that no engine locks.
func newScratch(ctx context.Context, parent string) (*scratch, error) {
	if parent == "" {
		parent = filepath.Join(os.TempDir(), fmt.Sprintf("toolscript-deno-%d", os.Getuid()))
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	if err := private(parent); err != nil {
		return nil, err
	}
	done, err := files.LockTransient(ctx, filepath.Join(parent, lockName)) // another engine sweeps no folder that is not locked yet
	if err != nil {
		return nil, err
	}
	defer done()
	sweep(parent)
	path, err := os.MkdirTemp(parent, "engine-")
	if err != nil {
		return nil, err
	}
	unlock, err := files.TryLock(filepath.Join(path, lockName))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return &scratch{path, unlock}, nil
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
	s.unlock() // Windows removes no file that is open
	return os.RemoveAll(s.path)
}

// sweep removes the folders of engines that have ended. If it fails, the next engine tries
// again.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, "engine-*"))
	for _, path := range left {
		if unlock, err := files.TryLock(filepath.Join(path, lockName)); err == nil && unlock != nil {
			unlock()
			_ = os.RemoveAll(path)
		}
	}
}
