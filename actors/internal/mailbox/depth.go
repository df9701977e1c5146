package mailbox

import (
	"sync"

	"github.com/anthdm/hollywood/actor"
)

// lives has the Life of each running actor by its *actor.PID. hollywood does not report how
// many messages wait in an inbox, so Send and the middleware count them.
var lives sync.Map

// Send sends a message to an actor. All messages to actors must be sent with it, because it
// counts the waiting messages.
func Send(engine *actor.Engine, to *actor.PID, message any) {
	if l, ok := lives.Load(to); ok {
		l.(*Life).waiting.Add(1)
	}
	engine.Send(to, message)
}

// Waiting returns the number of messages that the actor has not taken yet.
func (l *Life) Waiting() int { return int(max(0, l.waiting.Load())) }

// Handled returns the number of messages that the actor has taken.
func (l *Life) Handled() uint64 { return l.handled.Load() }

// take counts a message that the actor takes. The first message is Initialized, which arrives
// before others know the PID.
func (l *Life) take(c *actor.Context) {
	switch c.Message().(type) {
	case actor.Initialized:
		lives.Store(c.PID(), l)
	case actor.Started:
	case actor.Stopped:
		lives.Delete(c.PID())
	default:
		l.waiting.Add(-1)
		l.handled.Add(1)
	}
}
