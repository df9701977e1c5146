//go:build !linux

package worker

import "time"

// Without /proc a worker's own watchdog is the only one for processor time.

func residentMemory(int) int64 { return 0 }

func cpuTime(int) time.Duration { return 0 }
