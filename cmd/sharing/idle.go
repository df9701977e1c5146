package sharing

import (
	"sync"
	"time"
)

// DefaultIdle is how long a hub stays without gateways.
const DefaultIdle = 5 * time.Minute

// idle notices that no gateway has used the hub for a time.
type idle struct {
	limit time.Duration
	over  chan struct{} // closed then

	mu    sync.Mutex
	used  bool
	waits int // counts the times that the hub became idle
	timer *time.Timer
}

// newIdle begins without gateways.
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

// expired ends the wait, unless a gateway came at the same moment.
func (i *idle) expired(wait int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.used && i.waits == wait {
		close(i.over)
	}
}
