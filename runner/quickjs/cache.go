package quickjs

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// fillTime bounds the wait for another process that fills the cache, which takes one second
// of work.
const fillTime = 10 * time.Second

// fillCache locks a cache folder, so that only one process fills it, and removes temporary
// files of killed processes. done unlocks the folder. fillCache does nothing if the cache is
// already full, or if another process holds the lock for longer than fillTime.
func fillCache(ctx context.Context, dir string) (done func()) {
	nothing := func() {}
	if dir == "" {
		return nothing
	}
	image, err := newImageFile(dir)
	if err != nil {
		return nothing // makeImage reports it
	}
	if _, err := os.Stat(image.path); err == nil { // the cache is full: the image is written last
		return nothing
	}
	ctx, cancel := context.WithTimeout(ctx, fillTime)
	defer cancel()
	unlock, err := files.Lock(ctx, filepath.Join(dir, "fill.lock"))
	if err != nil {
		return nothing
	}
	left, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*.tmp")) // the pattern is correct
	for _, path := range left {
		_ = os.Remove(path) // on an error, the next process tries again
	}
	return unlock
}
