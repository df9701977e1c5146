//go:build !linux && !darwin

package clock

import "time"

var started = time.Now()

// Now returns the time since a fixed moment, on a clock that cannot be set. Go's clock counts
// the time in which a Windows machine is suspended.
func Now() time.Duration { return time.Since(started) }
