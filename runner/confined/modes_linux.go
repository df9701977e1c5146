package confined

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
	"github.com/toolscript/toolscript/runner/internal/notify"
)

// changeMode changes the mode of a file below a folder that the server may write to.
// Otherwise it follows the rules of the kernel for a process without capabilities.
func (g *Gate) changeMode(c *notify.Call) notify.Answer {
	file, mode, err := modeOf(c)
	if err != nil {
		return result(err)
	}
	defer unix.Close(file) //nolint:errcheck // nothing was written
	own, stat, err := located(file, g.write)
	switch {
	case err != nil:
		return result(err)
	case int(stat.Uid) != os.Geteuid(), mode&(unix.S_ISUID|unix.S_ISGID) != 0, stat.Mode&unix.S_IFMT != unix.S_IFREG && stat.Mode&unix.S_IFMT != unix.S_IFDIR:
		return notify.Fail(unix.EPERM)
	}
	return result(unix.Chmod(own, mode))
}

// located checks that an open file is in one of folders. It returns a path that always refers
// to this file, and its status.
func located(file int, folders []string) (own string, stat unix.Stat_t, err error) {
	own = "/proc/self/fd/" + strconv.Itoa(file)
	path, err := os.Readlink(own)
	if err == nil {
		err = unix.Fstat(file, &stat)
	}
	if err == nil && !within(path, folders) {
		err = unix.EACCES
	}
	return own, stat, err
}

// within reports whether a path without links is in one of folders.
func within(path string, folders []string) bool {
	for _, folder := range folders {
		if path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/") {
			return filepath.IsAbs(path) // false for the name of a pipe
		}
	}
	return false
}

// modeOf opens the file of a call that changes modes, and returns it with the mode.
func modeOf(c *notify.Call) (file int, mode uint32, err error) {
	dir, at, mode, flags := unix.AT_FDCWD, c.Args[0], uint32(c.Args[1]), 0 // chmod
	switch c.Number {
	case unix.SYS_FCHMOD:
		file, err = take(c, c.Int(0))
		return file, mode, err
	case unix.SYS_FCHMODAT:
		dir, at, mode = c.Int(0), c.Args[1], uint32(c.Args[2])
	case confine.Fchmodat2:
		dir, at, mode, flags = c.Int(0), c.Args[1], uint32(c.Args[2]), c.Int(3)
	}
	if flags&^(unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH) != 0 {
		return -1, 0, unix.EINVAL
	}
	file, err = open(c, dir, at, flags)
	return file, mode, err
}

// open opens the file at a path of a call with O_PATH, which allows neither reading nor writing.
func open(c *notify.Call, dir int, at uint64, flags int) (int, error) {
	path, err := c.PathAt(dir, at, flags)
	if err != nil {
		return -1, err
	}
	how := unix.O_PATH | unix.O_CLOEXEC
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how |= unix.O_NOFOLLOW
	}
	return unix.Open(path, how, 0)
}
