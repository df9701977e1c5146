package mailbox

import (
	"sync"
	"time"

	"github.com/anthdm/hollywood/actor"
)

// delay measures how long a message waits in the mailbox of an actor.
type delay struct {
	mu   sync.Mutex
	sent time.Time // when the probe in the mailbox was sent; zero if there is no probe
	last time.Duration
}

// probe is a message that the actor does not see.
type probe struct{}

// Delay returns how long the last probe waited, or how long the probe in the mailbox has waited
// if that is longer. It begins a new measurement by a message to pid.
func (l *Life) Delay(engine *actor.Engine, pid *actor.PID) time.Duration {
	l.delay.mu.Lock()
	now, begin := l.delay.last, l.delay.sent.IsZero()
	if begin {
		l.delay.sent = time.Now()
	} else {
		now = max(now, time.Since(l.delay.sent))
	}
	l.delay.mu.Unlock()
	if begin {
		Send(engine, pid, probe{})
	}
	return now
}

func (d *delay) arrived() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last, d.sent = time.Since(d.sent), time.Time{}
}
