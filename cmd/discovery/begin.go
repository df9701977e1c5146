package discovery

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// beginTime bounds the wait for another start, which takes less than a second.
const beginTime = 30 * time.Second

// The lock files of starts in the folders of entries have names in this form.
const (
	lockPrefix = "toolscript-start-"
	lockSuffix = ".lock"
)

// Begin locks the start of the gateways of one configuration, session or client, so that
// looking for a gateway, starting one and writing its entry is one step. Starts with a
// common key wait for each other. The lock ends with its process. A folder in which no file
// can be created has no lock; Write reports that folder.
func (p Places) Begin(ctx context.Context, keys ...string) (end func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, beginTime, &toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf(
		"another process has been starting a gateway for this configuration for %s; see its log: toolscript logs", beginTime)})
	defer cancel()
	var held []func()
	end = func() {
		for _, unlock := range slices.Backward(held) {
			unlock()
		}
	}
	for _, path := range p.locks(keys) {
		unlock, err := files.LockTransient(ctx, path)
		switch {
		case ctx.Err() != nil:
			end()
			return nil, context.Cause(ctx)
		case err == nil:
			held = append(held, unlock)
		}
	}
	return end, nil
}

// locks returns the lock files of the keys in all folders. The order is the same for all
// processes, so that no two wait for each other.
func (p Places) locks(keys []string) []string {
	var paths []string
	for _, f := range p.register {
		if files.PrivateDir(f) != nil {
			continue
		}
		for _, key := range keys {
			sum := fnv.New64a()
			_, _ = sum.Write([]byte(key)) // Write never fails
			paths = append(paths, filepath.Join(f, fmt.Sprintf("%s%x%s", lockPrefix, sum.Sum64(), lockSuffix)))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// unlocked removes a lock file that a killed start has left, and reports whether it did. It
// does not wait for a lock that is held.
func unlocked(path string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	unlock, err := files.LockTransient(ctx, path)
	if err != nil {
		return false
	}
	unlock()
	return missing(path)
}
