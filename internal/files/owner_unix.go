//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// hasModes reports whether permission bits have an effect.
const hasModes = true

// owned returns an error if the user does not own the file.
func owned(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: the owner is unknown", path)
	}
	if uid := os.Geteuid(); int(stat.Uid) != uid {
		return fmt.Errorf("%s belongs to user %d, not to the current user %d", path, stat.Uid, uid)
	}
	return nil
}
