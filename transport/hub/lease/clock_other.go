//go:build !linux && !darwin

package lease

import "time"

var started = time.Now()

// now is the time since any fixed moment, on a clock that nobody sets. That of Go counts
// the time in which a Windows machine is suspended.
func now() time.Duration { return time.Since(started) }
