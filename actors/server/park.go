package server

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// park hands a call over to the actor, and returns the message for it. The reply to the message is
// the reply of the call. ok is false if the actor has ended, or if the connection has ended before the
// call began.
func (c *pendingCall) park() (m Call, ok bool) {
	m = *c.call
	ctx, cancel := context.WithCancelCause(m.Ctx)
	m.Ctx, m.Reply = ctx, c.unpark
	f := c.of
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || c.id == 0 && f.generation != c.on.generation {
		cancel(nil)
		return m, false
	}
	if c.cause != nil { // stopped meanwhile
		cancel(c.cause)
	}
	if c.leave = cancel; f.parked == nil {
		f.parked = map[*pendingCall]struct{}{}
	}
	f.parked[c] = struct{}{}
	return m, true
}

// unpark takes the reply of the actor.
func (c *pendingCall) unpark(result json.RawMessage, err error) {
	c.of.mu.Lock()
	delete(c.of.parked, c)
	c.of.mu.Unlock()
	c.leave(nil)
	c.replied(result, err)
}

// end fails the calls that the actor had not received when it ended.
func (f *inFlight) end() {
	f.mu.Lock()
	f.ended = true
	parked := f.parked
	f.parked = nil
	f.mu.Unlock()
	for c := range parked {
		c.leave(nil)
		c.replied(nil, endedWith(c.about))
	}
}

// endedWith returns the error of a call that was not sent because its actor has ended.
func endedWith(about toolscript.Error) error {
	return unsent(named(mailbox.ErrEnded, about))
}

// whenOver calls f when the caller has its reply, unless forget is called before.
func (c *pendingCall) whenOver(f func()) (forget func()) {
	c.of.mu.Lock()
	answered := c.answered
	if c.over == nil {
		c.over = map[*func()]func(){}
	}
	if !answered {
		c.over[&f] = f
	}
	c.of.mu.Unlock()
	if answered {
		f()
	}
	return func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		delete(c.over, &f)
	}
}
