package cluster

import (
	"time"

	"golang.org/x/sys/unix"
)

// clockID is a clock that counts the time in which the machine is suspended, unlike Go's clock.
const clockID = unix.CLOCK_MONOTONIC

var started = time.Now()

// Uptime returns the time since a fixed moment, on a clock that cannot be set.
func Uptime() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(clockID, &at); err != nil {
		return time.Since(started) // the system has no such clock
	}
	return time.Duration(at.Nano())
}
