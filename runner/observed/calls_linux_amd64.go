package observed

import (
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/internal/notify"
)

// legacy returns calls that only this architecture has: others only have their variants with a folder.
func legacy() map[uint32]systemCall {
	return map[uint32]systemCall{
		unix.SYS_OPEN: {name: "open", note: func(o *observer, c *notify.Call) error { return o.open(c, unix.AT_FDCWD, c.Args[0], c.Args[1]) }},
		unix.SYS_CREAT: {name: "creat", note: func(o *observer, c *notify.Call) error {
			return o.open(c, unix.AT_FDCWD, c.Args[0], unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC)
		}},
		unix.SYS_MKDIR:    {name: "mkdir", note: create(argumentPlace{-1, 0})},
		unix.SYS_MKNOD:    {name: "mknod", note: create(argumentPlace{-1, 0})},
		unix.SYS_UNLINK:   {name: "unlink", note: remove(argumentPlace{-1, 0})},
		unix.SYS_RMDIR:    {name: "rmdir", note: remove(argumentPlace{-1, 0})},
		unix.SYS_SYMLINK:  {name: "symlink", note: create(argumentPlace{-1, 1})},
		unix.SYS_LINK:     {name: "link", note: move(argumentPlace{-1, 0}, argumentPlace{-1, 1})},
		unix.SYS_RENAME:   {name: "rename", note: move(argumentPlace{-1, 0}, argumentPlace{-1, 1})},
		unix.SYS_RENAMEAT: {name: "renameat", note: move(argumentPlace{0, 1}, argumentPlace{2, 3})},
		unix.SYS_CHMOD:    {name: "chmod", note: mode(argumentPlace{-1, 0})},

		unix.SYS_UTIME:     {name: "utime", note: times(argumentPlace{-1, 0})},
		unix.SYS_UTIMES:    {name: "utimes", note: times(argumentPlace{-1, 0})},
		unix.SYS_FUTIMESAT: {name: "futimesat", note: times(argumentPlace{0, 1})},
	}
}
