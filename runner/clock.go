package runner

import (
	"sync"
	"time"
)

// A Clock measures the wall time of a run. The gateway stops it while a person is asked,
// because the script does not use that time. A nil Clock never stops. It is safe for
// concurrent use.
type Clock struct {
	mu      sync.Mutex
	holders int
	since   time.Time     // time of the stop; valid while holders > 0
	away    time.Duration // total of the stops that have ended
	changed chan struct{} // closed when it stops or continues; nil without listeners
}

// Hold stops the clock until every holder has called its release.
func (c *Clock) Hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders++; c.holders == 1 {
		c.since = time.Now()
		c.tell()
	}
	return sync.OnceFunc(c.release)
}

func (c *Clock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders--; c.holders == 0 {
		c.away += time.Since(c.since)
		c.tell()
	}
}

// tell closes changed, to tell the callers of Watch. The caller holds mu.
func (c *Clock) tell() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Away returns how long the clock has been stopped in total.
func (c *Clock) Away() time.Duration {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders > 0 {
		return c.away + time.Since(c.since)
	}
	return c.away
}

// Since returns the time since begun, minus the time in which the clock was stopped.
func (c *Clock) Since(begun time.Time) time.Duration { return time.Since(begun) - c.Away() }

// Stopped reports whether the clock is stopped.
func (c *Clock) Stopped() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holders > 0
}

// Watch reports whether the clock is stopped; changed is closed when that changes.
func (c *Clock) Watch() (stopped bool, changed <-chan struct{}) {
	if c == nil {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.holders > 0, c.changed
}
