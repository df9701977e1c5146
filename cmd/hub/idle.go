package hub

import (
	"sync"
	"time"
)

// DefaultIdle is how long a hub runs without gateways by default.
const DefaultIdle = 5 * time.Minute

// idle detects that no gateway has used the hub for a time.
type idle struct {
	limit time.Duration
	over  chan struct{} // closed after the time

	mu    sync.Mutex
	used  bool
	waits int // number of times that the hub became idle
	timer *time.Timer
}

// newIdle returns an idle that starts without gateways.
func newIdle(limit time.Duration) *idle {
	i := &idle{limit: limit, over: make(chan struct{}), used: true}
	i.changed(0)
	return i
}

// changed sets the number of gateways.
func (i *idle) changed(gateways int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case gateways > 0 && !i.used:
		i.used = true
		i.timer.Stop()
	case gateways == 0 && i.used:
		i.used = false
		i.waits++
		wait := i.waits
		i.timer = time.AfterFunc(i.limit, func() { i.expired(wait) })
	}
}

// expired closes over, unless a gateway has come in the meantime.
func (i *idle) expired(wait int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.used && i.waits == wait {
		close(i.over)
	}
}
