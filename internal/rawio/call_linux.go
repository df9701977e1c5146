package rawio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Read reads from a non-blocking descriptor. The error may be EAGAIN or EINTR.
func Read(fd int, p []byte) (int, error) { return call(unix.SYS_READ, fd, p) }

// Write writes to a non-blocking descriptor. The error may be EAGAIN or EINTR.
func Write(fd int, p []byte) (int, error) { return call(unix.SYS_WRITE, fd, p) }

func call(number uintptr, fd int, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, _, errno := unix.RawSyscall(number, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p))) //nolint:gosec // the kernel reads or writes p
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
