package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// lockPoll is the time between two attempts to lock: waiting for a file lock cannot have a limit.
const lockPoll = 20 * time.Millisecond

// errLocked is the error of a lock that another process holds.
var errLocked = errors.New("locked by another process")

// lock is a held lock of a file. The system releases it when all processes that have the
// file open have ended, so a killed hub leaves no lock.
type lock struct{ file *os.File }

// release releases the lock.
func (l lock) release() { _ = l.file.Close() } // it was only locked

// folder returns the folder of the locked file.
func (l lock) folder() string { return filepath.Dir(l.file.Name()) }

// tryLock locks a file of the place in the first usable folder. The error wraps errLocked
// if another process holds the lock.
func (p Place) tryLock(ending string) (held lock, err error) {
	for _, folder := range p.folders {
		held, failed := p.tryLockIn(folder, ending)
		if failed == nil || errors.Is(failed, errLocked) {
			return held, failed
		}
		err = errors.Join(err, failed)
	}
	return lock{}, err
}

func (p Place) tryLockIn(folder, ending string) (lock, error) {
	if err := files.PrivateDir(folder); err != nil {
		return lock{}, err
	}
	for {
		f, err := os.OpenFile(p.path(folder, ending), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return lock{}, err
		}
		if err := lockFile(f); err != nil {
			_ = f.Close() // the first error says more
			return lock{}, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if present(f) {
			return lock{f}, nil
		}
		_ = f.Close() // Prune has removed the file since it was opened
	}
}

// present reports whether an open file is still at its path.
func present(f *os.File) bool {
	now, err := os.Lstat(f.Name()) //nolint:gosec // the path comes from the program
	if err != nil {
		return false
	}
	opened, err := f.Stat()
	return err == nil && os.SameFile(now, opened)
}

// lock locks a file of the place. It waits until the lock is free.
func (p Place) lock(ctx context.Context, ending string) (lock, error) {
	ticks := time.NewTicker(lockPoll)
	defer ticks.Stop()
	for {
		l, err := p.tryLock(ending)
		if !errors.Is(err, errLocked) {
			return l, err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return lock{}, context.Cause(ctx)
		}
	}
}

// The locks of a place. The hub holds the first one while it runs; after a kill, its reaper
// holds it until the servers have ended. A gateway holds the second one while it starts a hub.
const (
	runLock   = ".lock"
	startLock = ".start"
)
