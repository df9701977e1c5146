package runner

import (
	"sync"
	"time"
)

// A Clock tells how much of the wall time of a run counts: it stands still while a
// person is asked, which is no time of the script's. A nil Clock never stands
// still. It is safe for concurrent use.
type Clock struct {
	mu      sync.Mutex
	holders int
	since   time.Time     // when it stopped; while it has holders
	away    time.Duration // that it has stood still before
	changed chan struct{} // closed when it stops or goes on; nil while nobody listens
}

// Hold stops the clock until release is called, by everybody who holds it.
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

// tell is called with mu held.
func (c *Clock) tell() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// Away is how long the clock has stood still.
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

// Since is how much counts of the time since begun.
func (c *Clock) Since(begun time.Time) time.Duration { return time.Since(begun) - c.Away() }

// Standing reports whether the clock stands still; changed is closed when that is
// no longer so.
func (c *Clock) Standing() (standing bool, changed <-chan struct{}) {
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
