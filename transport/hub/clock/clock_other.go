//go:build !linux && !darwin

package clock

import "time"

var started = time.Now()

// Now is the time since any fixed moment, on a clock that cannot be set. That of Go counts
// the time in which a Windows machine is suspended.
func Now() time.Duration { return time.Since(started) }
