package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the interval between attempts to lock. A blocking wait for a file lock could not
// end with a context.
const lockPoll = 20 * time.Millisecond

// Lock locks a file against all other processes and goroutines, and waits for the lock
// until ctx ends. The file is created if it does not exist, and is not removed. The
// system releases the lock when the process ends, even if it is killed.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, err
	}
	return release(lock), nil
}

// changeTime is the maximum time that LockFolder waits.
const changeTime = 10 * time.Second

// LockFolder creates a folder that only the user can read, and locks it against other processes and goroutines that call
// LockFolder. It waits for the lock until ctx ends, and at most changeTime.
func LockFolder(ctx context.Context, path string) (unlock func(), err error) {
	if err := PrivateDir(path); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	if unlock, err = Lock(ctx, filepath.Join(path, ".lock")); err != nil {
		return nil, fmt.Errorf("%s is in use by another process: %w", path, err)
	}
	return unlock, nil
}

// TryLock is like Lock, but does not wait. unlock is nil if another process or
// goroutine has the lock.
func TryLock(path string) (unlock func(), err error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return nil, err
	}
	return release(lock), nil
}

// LockTransient is like Lock, for a file that exists only while it is locked. The file
// stays if the process is killed, or if the system does not remove open files.
func LockTransient(ctx context.Context, path string) (unlock func(), err error) {
	for {
		lock := flock.New(path, flock.SetPermissions(0o600))
		if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
			return nil, err
		}
		if isNamed(lock) {
			return func() {
				_ = os.Remove(path) // before another process can lock it
				_ = lock.Close()
			}, nil
		}
		_ = lock.Close() // the process that had the lock has removed the file
	}
}

// isNamed reports whether the path of the locked file still leads to that file.
func isNamed(lock *flock.Flock) bool {
	mine, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(lock.Path())
	return err == nil && os.SameFile(mine, named)
}

func release(lock *flock.Flock) func() {
	return func() { _ = lock.Close() } // the system releases the lock at the latest when the process ends
}
