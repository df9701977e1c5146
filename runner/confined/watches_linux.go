package confined

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// watch adds a watch of a file or folder that the server may read. The server gets the
// events, because the copy of its descriptor refers to the same inotify instance.
func (g *Gate) watch(c *notify.Call) notify.Answer {
	mask, flags := uint32(c.Args[2]), 0
	if mask&unix.IN_DONT_FOLLOW != 0 {
		flags = unix.AT_SYMLINK_NOFOLLOW
	}
	file, err := open(c, unix.AT_FDCWD, c.Args[1], flags)
	if err != nil {
		return result(err)
	}
	defer unix.Close(file) //nolint:errcheck // nothing was written
	own, stat, err := located(file, g.read)
	switch {
	case err != nil:
		return result(err)
	case os.Geteuid() == 0 && stat.Uid != 0 && stat.Mode&unix.S_IROTH == 0: // root may read it, the server may not
		return notify.Fail(unix.EACCES)
	}
	instance, err := take(c, c.Int(0))
	if err != nil {
		return result(err)
	}
	defer unix.Close(instance) //nolint:errcheck // the server has it, too
	watch, err := unix.InotifyAddWatch(instance, own, mask&^unix.IN_DONT_FOLLOW)
	if err != nil {
		return result(err)
	}
	return notify.Return(int64(watch))
}
