package runs

import "time"

// wait returns when there may be room again, or maxWait is used up.
func (e *emitter) wait() {
	if e.timer == nil && e.left > 0 {
		e.since = time.Now()
		e.timer = time.AfterFunc(e.left, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.stopTimer()
		})
	}
	e.changed.Wait()
}

// stopTimer ends a wait and subtracts it from left. Calls that still wait start the timer again.
func (e *emitter) stopTimer() {
	if e.timer == nil {
		return
	}
	e.timer.Stop()
	e.timer = nil
	e.left -= time.Since(e.since)
	e.changed.Broadcast()
}

// release ends all waits of emit. From then on, emit does not wait.
func (e *emitter) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = true
	e.flush()
}
