//go:build !linux && !darwin

package cluster

import "time"

var started = time.Now()

// Uptime returns the time since a fixed moment, on a clock that cannot be set. Go's clock counts
// the time in which a Windows machine is suspended.
func Uptime() time.Duration { return time.Since(started) }
