package quickjs

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/sharedfile"
)

// fillTime bounds the wait for another process that fills the cache, which takes a
// second of work.
const fillTime = 10 * time.Second

// fillCache lets one process at a time fill a cache folder, and removes what a killed
// one left in it. It does nothing if the cache has been filled. If the other process
// takes too long, this one does not wait for it.
func fillCache(ctx context.Context, dir string) (done func()) {
	nothing := func() {}
	if dir == "" {
		return nothing
	}
	image, err := newImageFile(dir)
	if err != nil {
		return nothing // makeImage reports it
	}
	if _, err := os.Stat(image.path); err == nil { // it is written last
		return nothing
	}
	ctx, cancel := context.WithTimeout(ctx, fillTime)
	defer cancel()
	unlock, err := sharedfile.Lock(ctx, filepath.Join(dir, "fill.lock"))
	if err != nil {
		return nothing
	}
	left, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*.tmp")) // the pattern is correct
	for _, path := range left {
		_ = os.Remove(path) // the next process tries again
	}
	return unlock
}
