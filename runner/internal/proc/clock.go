package proc

import (
	"time"

	"github.com/toolscript/toolscript/runner"
)

// A Clock tells how long a process has worked since the clock was started.
type Clock struct {
	pid   int
	begun time.Time
	cpu   time.Duration // that the process had used by then
}

// StartClock begins to count.
func StartClock(pid int) Clock { return Clock{pid, time.Now(), CPUTime(pid)} }

// Effort is what both methods below tell.
func (c Clock) Effort() runner.Effort { return runner.Effort{Work: c.Worked(), Wall: c.Passed()} }

// Passed is the time since the start.
func (c Clock) Passed() time.Duration { return time.Since(c.begun) }

// Worked is about how long the process would have taken on a machine with nothing
// else to do: the lesser of the time that has passed, of which a busy machine gives
// it a part, and the processor time that it has used, of which the collector of a
// compiler uses some on a second processor. It is exact to 20 ms. Where the system
// tells no processor time it is the time that has passed.
func (c Clock) Worked() time.Duration {
	if !tellsCPU {
		return c.Passed()
	}
	return max(0, min(c.Passed(), CPUTime(c.pid)-c.cpu)) // a process that is gone has used less than nothing
}
