//go:build !linux

// Package proc reports the memory and the CPU time of processes. This system reports
// neither.
package proc

import "time"

const cpuTimeKnown = false

// RSS is not known on this system.
func RSS(int) int64 { return 0 }

// CPUTime is not known on this system: only the worker's own watchdog limits it.
func CPUTime(int) time.Duration { return 0 }
