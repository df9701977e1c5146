//go:build unix && !linux

package rawio

import "golang.org/x/sys/unix"

// Read reads from a non-blocking descriptor. The error may be EAGAIN or EINTR.
func Read(fd int, p []byte) (int, error) { return unix.Read(fd, p) }

// Write writes to a non-blocking descriptor. The error may be EAGAIN or EINTR.
func Write(fd int, p []byte) (int, error) { return unix.Write(fd, p) }
