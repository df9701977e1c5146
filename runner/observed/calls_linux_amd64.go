package observed

import (
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// legacy returns calls that only this architecture has: others only have their variants with a folder.
func legacy() map[uint32]call {
	return map[uint32]call{
		unix.SYS_OPEN: {name: "open", note: func(o *observer, c *notify.Call) error { return o.open(c, unix.AT_FDCWD, c.Args[0], c.Args[1]) }},
		unix.SYS_CREAT: {name: "creat", note: func(o *observer, c *notify.Call) error {
			return o.open(c, unix.AT_FDCWD, c.Args[0], unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC)
		}},
		unix.SYS_MKDIR:    {name: "mkdir", note: create(place{-1, 0})},
		unix.SYS_MKNOD:    {name: "mknod", note: create(place{-1, 0})},
		unix.SYS_UNLINK:   {name: "unlink", note: remove(place{-1, 0})},
		unix.SYS_RMDIR:    {name: "rmdir", note: remove(place{-1, 0})},
		unix.SYS_SYMLINK:  {name: "symlink", note: create(place{-1, 1})},
		unix.SYS_LINK:     {name: "link", note: move(place{-1, 0}, place{-1, 1})},
		unix.SYS_RENAME:   {name: "rename", note: move(place{-1, 0}, place{-1, 1})},
		unix.SYS_RENAMEAT: {name: "renameat", note: move(place{0, 1}, place{2, 3})},
		unix.SYS_CHMOD:    {name: "chmod", note: mode(place{-1, 0})},

		unix.SYS_UTIME:     {name: "utime", note: times(place{-1, 0})},
		unix.SYS_UTIMES:    {name: "utimes", note: times(place{-1, 0})},
		unix.SYS_FUTIMESAT: {name: "futimesat", note: times(place{0, 1})},
	}
}
