package mailbox

import (
	"reflect"
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
	failed    bool // only the actor's goroutine uses it
	ended     chan struct{}
	intercept func(message any)     // see Supervision; may be nil
	faulted   func(error)           // called after a panic that the actor survives; may be nil
	fault     atomic.Pointer[error] // the last such panic

	waiting atomic.Int64
	handled atomic.Uint64
	delay   delay
}

// NewLife returns the Life for one spawn.
func NewLife() *Life { return &Life{ended: make(chan struct{})} }

// Ended returns a channel that is closed when the actor has stopped: messages left in its
// inbox are never answered.
func (l *Life) Ended() <-chan struct{} { return l.ended }

// Fault returns the last panic that the actor has survived; nil if there was none.
func (l *Life) Fault() error {
	if err := l.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// Options returns the spawn options of an actor without a Supervisor. The small inbox costs 1.1 KB instead of 28 KB
// for an idle actor and grows by itself. The restart limit is set so high that it is never reached, because
// hollywood ends the process when it is.
func (l *Life) Options(id string) []actor.OptFunc {
	return append(base(id), actor.WithMiddleware(l.guard))
}

// SupervisorOptions returns the spawn options of an actor with a Supervisor. A panic makes it lose
// one message. It does not end, because its children would end with it.
func (l *Life) SupervisorOptions(id string) []actor.OptFunc {
	return append(base(id), actor.WithMiddleware(l.survive))
}

func base(id string) []actor.OptFunc {
	return []actor.OptFunc{actor.WithID(id), actor.WithInboxSize(16), actor.WithMaxRestarts(1 << 30)}
}

// survived tells a Supervisor that it may have lost a message about its children.
type survived struct{}

// survive keeps panics from hollywood and notes them. An actor that cannot start does not survive,
// except the root.
func (l *Life) survive(next actor.ReceiveFunc) actor.ReceiveFunc {
	return l.deliver(next, func(c *actor.Context, p *rescue.Error) {
		switch c.Message().(type) {
		case actor.Initialized, actor.Started:
			if c.Parent() != nil {
				l.died(c, p)
				return
			}
		}
		err := p.Internal()
		l.fault.Store(&err)
		fail(c.Message(), ErrEnded)
		Send(c.Engine(), c.PID(), survived{})
		if l.faulted != nil {
			defer rescue.Ignore() // a log handler may panic
			l.faulted(err)
		}
	})
}

// guard keeps panics from hollywood: it informs the parent and stops the actor. After
// a panic the actor receives nothing but Stopped, because its state may be
// half-changed. Callers that wait for its answers are woken by Ended.
func (l *Life) guard(next actor.ReceiveFunc) actor.ReceiveFunc { return l.deliver(next, l.died) }

// deliver returns the function that gives the actor a message. panicked is called after a panic.
func (l *Life) deliver(next actor.ReceiveFunc, panicked func(*actor.Context, *rescue.Error)) actor.ReceiveFunc {
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
		defer rescue.Catch(func(p *rescue.Error) { panicked(c, p) })
		if l.intercept != nil {
			l.intercept(c.Message())
		}
		next(c)
	}
}

// fail answers a message with err if the message is a request, a struct with a Reply in an exported field.
func fail(message any, err error) {
	fields := reflect.ValueOf(message)
	if fields.Kind() != reflect.Struct {
		return
	}
	for _, f := range fields.Fields() {
		if f.CanInterface() {
			if reply, ok := f.Interface().(interface{ fail(err error) }); ok {
				reply.fail(err)
			}
		}
	}
}

func (l *Life) died(c *actor.Context, panicked *rescue.Error) {
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
