package discovery

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sweepAge is the minimum age of a file that a gateway could still be writing.
const sweepAge = time.Minute

// sweep removes the files of gateways that were killed while they wrote or removed their
// entry, and returns the paths: process id files without an entry, files that were not
// renamed, invalid entries, and locks that no process holds. It does not know the hosts of
// these files, so it removes nothing that a gateway on another host could need.
func (f folder) sweep(files []fs.DirEntry) (removed []string) {
	before := time.Now().Add(-sweepAge)
	for _, file := range files {
		name := file.Name()
		path := filepath.Join(string(f), name)
		old := func() bool {
			info, err := file.Info()
			return err == nil && info.ModTime().Before(before)
		}
		if strings.HasPrefix(name, lockPrefix) && strings.HasSuffix(name, lockSuffix) && file.Type().IsRegular() && old() && unlocked(path) {
			removed = append(removed, path)
			continue
		}
		if !file.Type().IsRegular() || !strings.HasPrefix(strings.TrimPrefix(name, "."), filePrefix) {
			continue
		}
		left := false
		switch entry, isPID := strings.CutSuffix(path, pidSuffix); {
		case strings.HasPrefix(name, "."):
			left = old()
		case isPID: // an entry is written before this file, and removed before it
			left = missing(entry + fileSuffix)
		case strings.HasSuffix(name, fileSuffix):
			left = old() && damaged(path)
		}
		if left && os.Remove(path) == nil { // after an error, the next sweep tries again
			removed = append(removed, path)
		}
	}
	return removed
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// damaged reports whether a file is not valid JSON, as after a power failure.
func damaged(path string) bool {
	text, err := os.ReadFile(path) //nolint:gosec // the folder was checked
	return err == nil && !json.Valid(text)
}
