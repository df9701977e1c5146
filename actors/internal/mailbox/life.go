package mailbox

import (
	"sync/atomic"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/internal/rescue"
)

// Failed says that a child panicked. The child handles no more messages, has been
// poisoned, and leaves the registry soon.
type Failed struct {
	PID    *actor.PID
	Life   *Life
	Reason any
	Stack  []byte
}

// Ended says that a child has stopped, after a panic or without one. Its id is free
// again.
type Ended struct {
	PID  *actor.PID
	Life *Life
}

// Life is one actor from its spawn to its end. An actor that is restarted under the
// same id has a new Life, so that late messages about the old one can be recognised.
type Life struct {
	failed bool // only the actor's goroutine uses it
	ended  chan struct{}

	waiting atomic.Int64
	handled atomic.Uint64
	delay   delay
}

// NewLife returns the Life for one spawn.
func NewLife() *Life { return &Life{ended: make(chan struct{})} }

// Ended returns a channel that is closed when the actor has stopped: messages left in its
// inbox are never answered.
func (l *Life) Ended() <-chan struct{} { return l.ended }

// Options returns the spawn options of every actor except the root. The small inbox costs
// 1.1 KB instead of 28 KB for an idle actor and grows by itself. The restart limit cannot be
// reached, because hollywood ends the process at it.
func (l *Life) Options(id string) []actor.OptFunc {
	return append(base(id), actor.WithMiddleware(l.guard))
}

// RootOptions returns the spawn options of the root. The root is not restarted, and all other
// actors end with it, so a panic makes it lose only one message. failed is called on the root's
// goroutine.
func RootOptions(id string, life *Life, failed func(error)) []actor.OptFunc {
	survive := func(next actor.ReceiveFunc) actor.ReceiveFunc {
		return func(c *actor.Context) {
			life.take(c)
			defer rescue.Catch(func(p *rescue.Error) { failed(p.Internal()) })
			next(c)
		}
	}
	return append(base(id), actor.WithMiddleware(survive))
}

func base(id string) []actor.OptFunc {
	return []actor.OptFunc{actor.WithID(id), actor.WithInboxSize(16), actor.WithMaxRestarts(1 << 30)}
}

// guard keeps panics from hollywood: it informs the parent and stops the actor. After
// a panic the actor receives nothing but Stopped, because its state may be
// half-changed. Callers that wait for its answers are woken by Ended.
func (l *Life) guard(next actor.ReceiveFunc) actor.ReceiveFunc {
	return func(c *actor.Context) {
		l.take(c)
		if _, last := c.Message().(actor.Stopped); last {
			l.end(c, next)
			return
		}
		if _, ok := c.Message().(probe); ok {
			l.delay.arrived()
			return
		}
		if l.failed {
			return
		}
		defer rescue.Catch(func(p *rescue.Error) { l.fail(c, p) })
		next(c)
	}
}

func (l *Life) fail(c *actor.Context, panicked *rescue.Error) {
	l.failed = true
	if p := c.Parent(); p != nil {
		Send(c.Engine(), p, Failed{c.PID(), l, panicked.Reason, panicked.Stack})
	}
	c.Engine().Poison(c.PID()) // waiting for it here would deadlock
}

// end lets the actor handle Stopped. A panic there has no effect.
func (l *Life) end(c *actor.Context, next actor.ReceiveFunc) {
	defer func() {
		close(l.ended)
		if p := c.Parent(); p != nil {
			Send(c.Engine(), p, Ended{c.PID(), l})
		}
	}()
	defer rescue.Ignore()
	next(c)
}
