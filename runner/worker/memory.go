package worker

import "time"

const (
	// checkerMemory is what a checker may hold while it looks at one script. With
	// 2,000 large tools it holds 210 MB, and types written for it take gigabytes.
	checkerMemory = 512 << 20
	// memoryPoll is how often that is looked at. A compiler fills a gigabyte a
	// second at most.
	memoryPoll = 20 * time.Millisecond
)

// watchMemory kills a checker that holds too much memory, until the returned
// function is called, which says whether it has done so. Where the system does
// not tell what a process holds, time is the only limit.
func (c *Checker) watchMemory() (stop func() (full bool)) {
	end, result := make(chan struct{}), make(chan bool, 1)
	go func() {
		poll := time.NewTicker(memoryPoll)
		defer poll.Stop()
		for {
			select {
			case <-end:
				result <- false
				return
			case <-poll.C:
			}
			if c.RSS() > checkerMemory {
				c.Kill()
				result <- true
				return
			}
		}
	}()
	return func() bool {
		close(end)
		return <-result
	}
}
