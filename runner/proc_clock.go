package runner

import (
	"time"
)

// A WorkClock measures the work of a process since the clock was started.
type WorkClock struct {
	pid   int
	begun time.Time
	cpu   time.Duration // CPU time of the process when the clock was started
}

// StartWorkClock starts a clock.
func StartWorkClock(pid int) WorkClock { return WorkClock{pid, time.Now(), CPUTime(pid)} }

// Usage returns the work and the wall time since the start.
func (c WorkClock) Usage() Usage { return Usage{Work: c.Worked(), Wall: c.Passed()} }

// Passed returns the time since the start.
func (c WorkClock) Passed() time.Duration { return time.Since(c.begun) }

// Worked estimates how long the work of the process would have taken on an idle machine, exact to
// 20 ms. It returns the smaller of the elapsed time and the CPU time: on a busy machine the CPU
// time is smaller, and with a garbage collector on a second processor the elapsed time is. If the
// system does not report CPU time, Worked returns the elapsed time.
func (c WorkClock) Worked() time.Duration {
	if !cpuTimeKnown {
		return c.Passed()
	}
	return max(0, min(c.Passed(), CPUTime(c.pid)-c.cpu)) // CPUTime is 0 after the end of the process
}
