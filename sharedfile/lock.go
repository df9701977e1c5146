package sharedfile

import (
	"context"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the interval between attempts to lock, because a file lock cannot wait
// with a context.
const lockPoll = 20 * time.Millisecond

// Lock locks a file for all processes and goroutines, and waits until ctx ends. The file
// is created if it does not exist, and stays. The system releases the lock when the
// process ends, however it ends.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, err
	}
	return release(lock), nil
}

// TryLock is Lock without waiting. unlock is nil if another process or goroutine has the
// lock.
func TryLock(path string) (unlock func(), err error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return nil, err
	}
	return release(lock), nil
}

func release(lock *flock.Flock) func() {
	return func() { _ = lock.Close() } // the end of the process releases it at the latest
}
