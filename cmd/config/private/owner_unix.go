//go:build unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// hasModes says that permission bits mean something here.
const hasModes = true

// owned is nil when the user owns the file.
func owned(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: its owner cannot be told", path)
	}
	if uid := os.Geteuid(); int(stat.Uid) != uid {
		return fmt.Errorf("%s belongs to user %d, not to user %d who runs this", path, stat.Uid, uid)
	}
	return nil
}
