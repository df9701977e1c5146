package hub

import (
	"sync"
	"time"
)

// mostDelay is the longest delay that is measured.
const mostDelay = time.Minute

// delay measures how long messages between a gateway and its NATS server wait behind others.
// A message that waits there says nothing about the hub.
type delay struct {
	mu    sync.Mutex
	begun time.Time // start of the flush in progress; zero if there is none
	last  time.Duration
	alive time.Time // when the last message arrived
}

// heard records that a message has arrived.
func (d *delay) heard(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive = now
}

// measure returns the delay, and starts a new measurement with flush, which returns when the NATS
// server has answered. A connection on which nothing arrives is not slow: the delay is 0.
func (d *delay) measure(now time.Time, flush func() error) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun.IsZero() {
		d.begun = now
		go d.run(flush)
		return d.last
	}
	since := now.Sub(d.begun)
	if since > silence && now.Sub(d.alive) > silence {
		return 0
	}
	return max(d.last, since)
}

func (d *delay) run(flush func() error) {
	err := flush()
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = 0
	if err == nil {
		d.last, d.alive = now.Sub(d.begun), now
	}
	d.begun = time.Time{}
}
