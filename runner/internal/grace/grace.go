// Package grace bounds how long a run that has ended waits for its tool calls.
package grace

import (
	"sync"
	"time"
)

// Period is how long calls may take that are cancelled by a run's end.
const Period = 250 * time.Millisecond

// Wait waits for the goroutines of a run until the period is over. What has not
// ended by then is left alone.
func Wait(pending *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		pending.Wait()
		close(done)
	}()
	timer := time.NewTimer(Period)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
