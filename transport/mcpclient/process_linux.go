package mcpclient

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitExit waits for the end of a child without reaping it. It returns false if that
// failed.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
