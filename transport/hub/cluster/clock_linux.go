package cluster

import (
	"time"

	"golang.org/x/sys/unix"
)

// clockID is a clock that counts the time in which the machine is suspended, unlike CLOCK_MONOTONIC.
const clockID = unix.CLOCK_BOOTTIME

var started = time.Now()

// Uptime returns the time since a fixed moment, on a clock that cannot be set.
func Uptime() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(clockID, &at); err != nil {
		return time.Since(started) // a kernel before 2.6.39
	}
	return time.Duration(at.Nano())
}
