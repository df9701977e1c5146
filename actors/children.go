package actors

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/rescue"
)

// respawnPoll is the delay before the supervisor checks again whether the id of an ended
// child is free.
const respawnPoll = 10 * time.Millisecond

// spec describes a child.
type spec struct {
	id        string
	produce   actor.Producer
	temporary bool                     // ends with its work and is not restarted
	server    *toolscript.ServerStatus // the server whose connection it owns; nil for other actors
	known     []toolscript.Tool        // the server's tools before it is connected
}

type childState string

const (
	childRunning    childState = "running"
	childRestarting childState = "restarting" // ended, and waiting to be spawned again
	childStopping   childState = "stopping"
	childFailed     childState = "failed" // temporary, and panicked
)

// child is an actor that the supervisor starts and restarts. Each start is a new life.
type child struct {
	spec
	state    childState
	since    time.Time
	life     *mailbox.Life // the latest life
	pid      *actor.PID
	restarts int
	lastErr  error
	retries  *mailbox.Schedule
	timer    *time.Timer
	next     *spec // successor, started when this child has ended; nil: no successor
}

func (s *supervisor) add(spec spec) *child {
	ch := &child{spec: spec, retries: mailbox.NewSchedule()}
	s.children[spec.id] = ch
	return ch
}

// spawn starts a child. The Producer runs here: a panic of it in hollywood would leave
// an actor that is registered but never runs.
func (s *supervisor) spawn(c *actor.Context, ch *child) {
	receiver, err := produced(ch.produce)
	if err != nil {
		s.crashed(ch, err)
		return
	}
	ch.life = mailbox.NewLife()
	ch.state, ch.since = childRunning, time.Now()
	s.byLife[ch.life] = ch
	defer s.changed(ch)
	ch.pid = c.SpawnChild(func() actor.Receiver { return receiver }, "child", options(ch.id, ch.life)...)
	s.directory.set(ch.id, mailbox.Address{Engine: c.Engine(), PID: ch.pid, Gone: s.gone, Ended: ch.life.Ended()})
}

func produced(p actor.Producer) (r actor.Receiver, err error) {
	defer rescue.Into(&err)
	return p(), nil
}

// failed handles the panic of a child, which is about to end.
func (s *supervisor) failed(m mailbox.Failed) {
	if ch := s.byLife[m.Life]; ch != nil {
		s.crashed(ch, (&rescue.Error{Reason: m.Reason, Stack: m.Stack}).Internal())
	}
}

// crashed removes a child from the directory and schedules its restart. It logs last,
// because a log handler that panics must not prevent the restart.
func (s *supervisor) crashed(ch *child, err error) {
	defer mailbox.LogFailure(s.logger, slog.LevelError, "actor failed", err, slog.String("actor", ch.id))
	s.directory.remove(ch.id)
	ch.lastErr = err
	defer s.changed(ch)
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

// serverDown reports to the registry that a server is not connected, because its
// actor has ended.
func (s *supervisor) serverDown(ch *child, delay time.Duration) {
	status, next := *ch.server, time.Now().Add(delay)
	status.State, status.Since, status.NextRetry = toolscript.Backoff, ch.since, &next
	status.Error = "a fault of the gateway: " + ch.lastErr.Error()
	s.pass(registryID, catalog.ServerChanged{Status: status})
}

// respawn restarts a child when its id is free. hollywood ignores a Spawn with an id
// that is taken.
func (s *supervisor) respawn(c *actor.Context, m respawn) {
	ch := s.children[m.id]
	if ch == nil || ch.state != childRestarting {
		return
	}
	if ch.pid != nil && c.GetPID(ch.pid.ID) != nil {
		s.later(ch, respawnPoll)
		return
	}
	ch.restarts++
	s.spawn(c, ch)
}

// ended handles the end of a life. A permanent child that ends by itself is restarted.
func (s *supervisor) ended(c *actor.Context, m mailbox.Ended) {
	ch := s.byLife[m.Life]
	delete(s.byLife, m.Life)
	switch {
	case ch == nil || ch.life != m.Life: // restarted meanwhile
	case ch.temporary || ch.state == childStopping:
		s.forget(c, ch)
	case ch.state == childRunning:
		s.crashed(ch, fmt.Errorf("actor %s ended by itself", ch.id))
	}
	s.answerStopped()
}

// forget removes a child that is not restarted, and starts its successor.
func (s *supervisor) forget(c *actor.Context, ch *child) {
	if s.children[ch.id] == ch {
		s.directory.remove(ch.id)
		delete(s.children, ch.id)
		if ch.lastErr == nil {
			s.pass(liveID, catalog.ActorChanged{Status: ch.status(), Gone: true})
		}
		if ch.next != nil && s.stopping == nil {
			s.spawn(c, s.add(*ch.next))
		}
	}
	if ch.lastErr != nil {
		ch.state = childFailed
		s.changed(ch)
		s.failures = append(s.failures, ch.status())
		s.failures = s.failures[max(0, len(s.failures)-maxFailures):]
	}
}

// maxFailures is how many panicked temporary actors the status shows.
const maxFailures = 20

func (s *supervisor) spawnTemporary(c *actor.Context, m spawn) {
	if s.stopping != nil {
		m.reply.Send(mailbox.Address{}, mailbox.ErrStopped)
		return
	}
	if old := s.children[m.spec.id]; old != nil && !old.over() {
		m.reply.Send(mailbox.Address{}, &toolscript.Error{
			Kind: toolscript.Conflict, Err: fmt.Errorf("actor %s exists already", m.spec.id),
		})
		return
	}
	ch := s.add(m.spec)
	s.spawn(c, ch)
	at, ok := s.directory.find(ch.id)
	if !ok {
		s.forget(c, ch)
		m.reply.Send(mailbox.Address{}, ch.lastErr)
		return
	}
	m.reply.Send(at, nil)
}

// over reports whether a temporary child has ended. The message about its end may
// still be in the mailbox.
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

// end poisons a child without waiting. hollywood's own function waits for the children one
// after the other, and for ever for a child that was poisoned before.
func (s *supervisor) end(c *actor.Context, ch *child) {
	if ch.timer != nil {
		ch.timer.Stop()
	}
	waiting := ch.state == childRestarting
	ch.state, ch.since = childStopping, time.Now()
	s.changed(ch)
	if waiting && s.byLife[ch.life] == nil {
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
			s.pass(registryID, catalog.ServerChanged{Status: status})
		}
	}
	for _, ch := range s.children {
		s.end(c, ch)
	}
	s.answerStopped()
}

func (s *supervisor) answerStopped() {
	if len(s.byLife) > 0 {
		return
	}
	for _, reply := range s.stopping {
		reply.Send(struct{}{}, nil)
	}
}

// actors returns the status of all actors, the supervisor included.
func (s *supervisor) actors(c *actor.Context) []toolscript.ActorStatus {
	self := toolscript.ActorStatus{
		Name: supervisorID, State: string(childRunning), Since: s.since, Waiting: s.life.Waiting(), Messages: s.life.Handled(),
	}
	if s.fault != nil {
		self.LastError, self.LastStack = s.fault.Error(), stackOf(s.fault)
	}
	all := append([]toolscript.ActorStatus{self}, s.failures...)
	for _, ch := range s.children {
		all = append(all, ch.measured(c))
	}
	slices.SortStableFunc(all, func(a, b toolscript.ActorStatus) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (ch *child) status() toolscript.ActorStatus {
	status := toolscript.ActorStatus{Name: ch.id, State: string(ch.state), Since: ch.since, Restarts: ch.restarts, Parent: supervisorID}
	if ch.life != nil {
		status.Waiting, status.Messages = ch.life.Waiting(), ch.life.Handled()
	}
	if ch.lastErr != nil {
		status.LastError, status.LastStack = ch.lastErr.Error(), stackOf(ch.lastErr)
	}
	return status
}

// measured returns the status of a child with the delay of its mailbox.
func (ch *child) measured(c *actor.Context) toolscript.ActorStatus {
	status := ch.status()
	if ch.state == childRunning {
		if delay := ch.life.Delay(c.Engine(), ch.pid); delay >= time.Millisecond {
			status.MailboxMs = float64(delay.Milliseconds())
		}
	}
	return status
}

// changed publishes the state of a child.
func (s *supervisor) changed(ch *child) { s.pass(liveID, catalog.ActorChanged{Status: ch.status()}) }

// maxStack bounds the stack of a panic in the status, in bytes.
const maxStack = 4 << 10

func stackOf(err error) string {
	var p *rescue.Error
	if !errors.As(err, &p) {
		return ""
	}
	return strings.ToValidUTF8(string(p.Stack[:min(len(p.Stack), maxStack)]), "")
}
