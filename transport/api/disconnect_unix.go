//go:build linux || darwin

package api

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// disconnected reports whether the peer has closed the connection. It consumes no input.
func disconnected(raw syscall.RawConn) bool {
	n, err := peek(raw)
	if err != nil {
		return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR)
	}
	return n == 0
}

// arrived reports whether there is unread input.
func arrived(raw syscall.RawConn) bool {
	n, err := peek(raw)
	return err == nil && n > 0
}

func peek(raw syscall.RawConn) (n int, err error) {
	var one [1]byte
	closed := raw.Control(func(fd uintptr) {
		n, _, err = unix.Recvfrom(int(fd), one[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	if closed != nil {
		return 0, closed
	}
	return n, err
}
