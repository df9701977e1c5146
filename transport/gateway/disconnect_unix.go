//go:build linux || darwin

package gateway

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// disconnected looks, without taking a byte, whether the other side has closed.
func disconnected(raw syscall.RawConn) bool {
	var (
		n    int
		err  error
		byte [1]byte
	)
	closed := raw.Control(func(fd uintptr) {
		n, _, err = unix.Recvfrom(int(fd), byte[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	switch {
	case closed != nil:
		return true
	case err != nil:
		return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR)
	default:
		return n == 0
	}
}
