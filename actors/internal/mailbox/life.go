package mailbox

import (
	"runtime/debug"

	"github.com/anthdm/hollywood/actor"
)

// Failed tells a parent that a child panicked. The child handles nothing more,
// has been poisoned, and is gone from the registry soon after.
type Failed struct {
	PID    *actor.PID
	Life   *Life
	Reason any
	Stack  []byte
}

// Ended tells a parent that a child has stopped, after a panic or without one.
// Its id is free again.
type Ended struct {
	PID  *actor.PID
	Life *Life
}

// Life is one actor from its spawn to its end. An actor that is restarted under
// the same id has a new Life, so that late news of an old one can be told apart.
type Life struct {
	failed bool // only the actor's goroutine touches it
	ended  chan struct{}
}

// NewLife makes the Life for one spawn.
func NewLife() *Life { return &Life{ended: make(chan struct{})} }

// Ended is closed when the actor has stopped: what is then in its inbox will
// never be answered.
func (l *Life) Ended() <-chan struct{} { return l.ended }

// Options are the spawn options of every actor but the root. The small inbox
// costs 1.1 KB instead of 28 KB for an idle actor and grows by itself. The
// restart limit is out of reach because hollywood ends the process at it.
func (l *Life) Options(id string) []actor.OptFunc {
	return append(base(id), actor.WithMiddleware(l.guard))
}

// Options are those of a Life that nobody watches.
func Options(id string) []actor.OptFunc { return NewLife().Options(id) }

// RootOptions are the spawn options of the root. Nobody restarts it, and all
// others end with it, so a panic costs the root one message and no more; failed
// is told of it on the root's goroutine.
func RootOptions(id string, failed func(error)) []actor.OptFunc {
	survive := func(next actor.ReceiveFunc) actor.ReceiveFunc {
		return func(c *actor.Context) {
			defer func() {
				if r := recover(); r != nil {
					failed(Panicked(r, debug.Stack()))
				}
			}()
			next(c)
		}
	}
	return append(base(id), actor.WithMiddleware(survive))
}

func base(id string) []actor.OptFunc {
	return []actor.OptFunc{actor.WithID(id), actor.WithInboxSize(16), actor.WithMaxRestarts(1 << 30)}
}

// guard keeps panics from hollywood: the parent is told and the actor stops.
// After a panic nothing but Stopped reaches the actor, whose state may be
// half-changed; those who wait for its answers learn from Ended.
func (l *Life) guard(next actor.ReceiveFunc) actor.ReceiveFunc {
	return func(c *actor.Context) {
		if _, last := c.Message().(actor.Stopped); last {
			l.end(c, next)
			return
		}
		if l.failed {
			return
		}
		defer func() {
			if r := recover(); r != nil {
				l.fail(c, r)
			}
		}()
		next(c)
	}
}

func (l *Life) fail(c *actor.Context, reason any) {
	l.failed = true
	if p := c.Parent(); p != nil {
		c.Engine().Send(p, Failed{c.PID(), l, reason, debug.Stack()})
	}
	c.Engine().Poison(c.PID()) // waiting for it in here would deadlock
}

// end lets the actor handle Stopped. A panic there has nobody left to concern.
func (l *Life) end(c *actor.Context, next actor.ReceiveFunc) {
	defer func() {
		_ = recover()
		close(l.ended)
		if p := c.Parent(); p != nil {
			c.Engine().Send(p, Ended{c.PID(), l})
		}
	}()
	next(c)
}
