//go:build !linux && !windows

package runner

import "time"

const cpuTimeKnown = false

// RSS returns 0: this system does not report it.
func RSS(int) int64 { return 0 }

// CPUTime returns 0: this system does not report it, so only the worker's own watchdog limits CPU time.
func CPUTime(int) time.Duration { return 0 }
