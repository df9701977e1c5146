package worker

import "golang.org/x/sys/unix"

// unread reports whether the worker, which has ended, left bytes of the gateway unread.
func (d *duplex) unread() (left bool) {
	raw, err := d.out.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // an error: it is closed, and nothing is known
		n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
		left = err == nil && n > 0
	})
	return left
}
