package actors

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// maxFailures is how many temporary actors that panicked are remembered.
const maxFailures = 20

func (s *supervisor) spawn(c *actor.Context, m spawn) {
	if s.stopping != nil {
		m.reply.Send(mailbox.Address{}, mailbox.ErrStopped)
		return
	}
	if old := s.children[m.spec.id]; old != nil && !old.over() {
		m.reply.Send(mailbox.Address{}, &toolscript.Error{
			Kind: toolscript.Conflict, Err: fmt.Errorf("there is an actor %s already", m.spec.id),
		})
		return
	}
	ch := s.add(m.spec)
	s.raise(c, ch)
	at, ok := s.directory.find(ch.id)
	if !ok {
		s.forget(c, ch)
		m.reply.Send(mailbox.Address{}, ch.lastErr)
		return
	}
	m.reply.Send(at, nil)
}

// over reports whether the child has ended for good, of which the supervisor
// may not have heard yet.
func (ch *child) over() bool {
	if !ch.temporary {
		return false
	}
	select {
	case <-ch.life.Ended():
		return true
	default:
		return false
	}
}

// end poisons a child without waiting: hollywood's own way waits for one after
// the other, and for ever if a child has been poisoned before.
func (s *supervisor) end(c *actor.Context, ch *child) {
	if ch.timer != nil {
		ch.timer.Stop()
	}
	waiting := ch.state == childRestarting
	ch.state, ch.since = childStopping, time.Now()
	if waiting && s.living[ch.life] == nil {
		s.forget(c, ch)
		return
	}
	if at, ok := s.directory.find(ch.id); ok {
		at.Engine.Poison(at.PID)
	}
}

func (s *supervisor) stopAll(c *actor.Context, m stopAll) {
	s.stopping = append(s.stopping, m.reply)
	for _, ch := range s.children {
		if ch.server != nil {
			status := *ch.server
			status.State, status.Since = toolscript.Stopped, time.Now()
			s.pass(registryID, event.ServerChanged{Status: status})
		}
	}
	for _, ch := range s.children {
		s.end(c, ch)
	}
	s.answerStopped()
}

func (s *supervisor) answerStopped() {
	if len(s.living) > 0 {
		return
	}
	for _, reply := range s.stopping {
		reply.Send(struct{}{}, nil)
	}
}

// actors is what is known of all actors, the supervisor included.
func (s *supervisor) actors() []toolscript.ActorStatus {
	self := toolscript.ActorStatus{Name: supervisorID, State: string(childRunning), Since: s.since}
	if s.fault != nil {
		self.LastError = s.fault.Error()
	}
	all := append([]toolscript.ActorStatus{self}, s.failures...)
	for _, ch := range s.children {
		all = append(all, ch.status())
	}
	slices.SortStableFunc(all, func(a, b toolscript.ActorStatus) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (ch *child) status() toolscript.ActorStatus {
	status := toolscript.ActorStatus{Name: ch.id, State: string(ch.state), Since: ch.since, Restarts: ch.restarts}
	if ch.lastErr != nil {
		status.LastError = ch.lastErr.Error()
	}
	return status
}
