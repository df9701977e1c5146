package actors

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/internal/retry"
)

// stillThere is when to look again whether the id of an ended child is free.
const stillThere = 10 * time.Millisecond

// spec is what a child is spawned from.
type spec struct {
	id        string
	produce   actor.Producer
	temporary bool                     // it ends when its work does, and is not restarted
	server    *toolscript.ServerStatus // whose connection it owns; nil for other actors
}

// childState says where a child stands.
type childState string

const (
	childRunning    childState = "running"
	childRestarting childState = "restarting" // ended, and waiting to be spawned again
	childStopping   childState = "stopping"
	childFailed     childState = "failed" // a temporary one that panicked
)

// child is an actor over all its lives.
type child struct {
	spec
	state    childState
	since    time.Time
	life     *mailbox.Life // the latest
	pid      *actor.PID
	restarts int
	lastErr  error
	retries  *retry.Schedule
	timer    *time.Timer
	next     *spec // takes its place once it has ended; nil: nothing does
}

func (s *supervisor) add(spec spec) *child {
	ch := &child{spec: spec, retries: retry.New()}
	s.children[spec.id] = ch
	return ch
}

// raise begins a life of a child. The Producer runs here and not in hollywood,
// where its panic would leave an actor that is registered but never runs.
func (s *supervisor) raise(c *actor.Context, ch *child) {
	receiver, err := produced(ch.produce)
	if err != nil {
		s.mishap(ch, err)
		return
	}
	ch.life = mailbox.NewLife()
	ch.state, ch.since = childRunning, time.Now()
	s.living[ch.life] = ch
	ch.pid = c.SpawnChild(func() actor.Receiver { return receiver }, "child", options(ch.id, ch.life)...)
	s.directory.set(ch.id, mailbox.Address{Engine: c.Engine(), PID: ch.pid, Gone: s.gone, Ended: ch.life.Ended()})
}

func produced(p actor.Producer) (r actor.Receiver, err error) {
	defer mailbox.Recover(&err)
	return p(), nil
}

// failed hears of a panic. The child is about to end, and what it owes to
// others is said in its place.
func (s *supervisor) failed(m mailbox.Failed) {
	if ch := s.living[m.Life]; ch != nil {
		s.mishap(ch, mailbox.Panicked(m.Reason, m.Stack))
	}
}

// mishap takes a child out of the directory and sees to its next life. It logs
// last: a log handler that panics must not cost a child its restart.
func (s *supervisor) mishap(ch *child, err error) {
	defer mailbox.LogFailure(s.logger, slog.LevelError, "actor failed", err, slog.String("actor", ch.id))
	s.directory.remove(ch.id)
	ch.lastErr = err
	if ch.temporary || ch.state == childStopping {
		return
	}
	worked := time.Duration(0)
	if ch.state == childRunning {
		worked = time.Since(ch.since)
	}
	delay := ch.retries.Next(worked)
	ch.state, ch.since = childRestarting, time.Now()
	s.later(ch, delay)
	if ch.server != nil {
		s.serverDown(ch, delay)
	}
}

func (s *supervisor) later(ch *child, delay time.Duration) {
	post, again := s.post, respawn{ch.id}
	ch.timer = time.AfterFunc(delay, func() { post(again) })
}

// serverDown tells, for a server's actor that cannot any more, that its server
// is not connected.
func (s *supervisor) serverDown(ch *child, delay time.Duration) {
	status, next := *ch.server, time.Now().Add(delay)
	status.State, status.Since, status.NextRetry = toolscript.Backoff, ch.since, &next
	status.Error = "a fault of the gateway: " + ch.lastErr.Error()
	s.pass(registryID, event.ServerChanged{Status: status})
}

// respawn looks at the registry first: a Spawn under an id that is still taken
// does nothing and says nothing.
func (s *supervisor) respawn(c *actor.Context, m respawn) {
	ch := s.children[m.id]
	if ch == nil || ch.state != childRestarting {
		return
	}
	if ch.pid != nil && c.GetPID(ch.pid.ID) != nil {
		s.later(ch, stillThere)
		return
	}
	ch.restarts++
	s.raise(c, ch)
}

// ended hears of the end of a life. A permanent child that ends without a panic
// and unasked is restarted too.
func (s *supervisor) ended(c *actor.Context, m mailbox.Ended) {
	ch := s.living[m.Life]
	delete(s.living, m.Life)
	switch {
	case ch == nil || ch.life != m.Life: // it lives again
	case ch.temporary || ch.state == childStopping:
		s.forget(c, ch)
	case ch.state == childRunning:
		s.mishap(ch, fmt.Errorf("actor %s ended by itself", ch.id))
	}
	s.answerStopped()
}

// forget drops a child that has ended for good, and raises what takes its place.
func (s *supervisor) forget(c *actor.Context, ch *child) {
	if s.children[ch.id] == ch {
		s.directory.remove(ch.id)
		delete(s.children, ch.id)
		if ch.next != nil && s.stopping == nil {
			s.raise(c, s.add(*ch.next))
		}
	}
	if ch.lastErr != nil {
		ch.state = childFailed
		s.failures = append(s.failures, ch.status())
		s.failures = s.failures[max(0, len(s.failures)-maxFailures):]
	}
}
