package mcpclient

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// awaitExit waits for the end of a child without reaping it. It returns false if that is not
// possible.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// unread reports whether a process has left input unread in its pipe. pipe is our end of the pipe.
func unread(pipe syscall.Conn) bool {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	left := 0
	_ = raw.Control(func(fd uintptr) { left, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) // 0 if the pipe is closed
	return left > 0
}
