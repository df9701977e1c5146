package worker

import "golang.org/x/sys/unix"

// unread reports whether the worker, which has ended, did not read all bytes of the gateway.
func (d *duplex) unread() (left bool) {
	raw, err := d.out.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // an error means that the pipe is closed; then left stays false
		n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
		left = err == nil && n > 0
	})
	return left
}
