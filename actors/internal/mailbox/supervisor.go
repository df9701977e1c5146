package mailbox

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// respawnPoll is the delay before a supervisor checks again whether the id of an ended
// child is free.
const respawnPoll = 10 * time.Millisecond

// maxFailures is how many panicked children without a restart the status shows.
const maxFailures = 20

// Supervisor has the children of one actor: it spawns them, restarts them when they end, and
// reports their states. The actor embeds the Supervisor, calls Open when it starts, and gives
// Supervise each message that it does not handle itself. Only the Receive of the actor uses a
// Supervisor.
//
// The actor survives its own panics, because hollywood ends all children with their parent: the
// message is lost, and the state stays.
type Supervisor struct {
	Supervision

	ID   string                                          // id of the actor, for the status of its children
	Down func(id string, delay time.Duration, err error) // called when a child ends that will be restarted after the delay; may be nil
	Over func(id string, err error)                      // called when a child ends that will not be restarted; may be nil

	post     func(message any) // sends a message to the actor
	children map[string]*child // by id; includes children that wait for their restart
	byLife   map[*Life]*child
	failures []toolscript.ActorStatus // the last children without a restart that panicked
	stopping []Reply[struct{}]
}

// Supervision holds the options that all supervisors of a gateway share. Changed and Intercept may be nil.
type Supervision struct {
	Directory *Directory
	Logger    *slog.Logger
	Gone      <-chan struct{}                           // closed when the gateway stops
	Changed   func(s toolscript.ActorStatus, gone bool) // called with each new state of an actor; does not block
	Intercept func(actor string, message any)           // called before an actor handles a message; tests make actors panic with it
}

// Spec describes a child.
type Spec struct {
	ID      string
	Produce actor.Producer
	Once    bool // ends with its work and is not restarted
}

// The requests to an actor with a Supervisor.
type (
	// Stop ends all children, and then the actor itself unless it is the root. It is answered
	// when the children have ended.
	Stop struct{ Reply Reply[struct{}] }

	// ListChildren returns the status of the children.
	ListChildren struct {
		Reply Reply[[]toolscript.ActorStatus]
	}

	// respawn restarts a child after its delay.
	respawn struct{ id string }
)

type childState string

const (
	childRunning    childState = "running"
	childRestarting childState = "restarting" // ended, and waiting to be spawned again
	childStopping   childState = "stopping"
	childFailed     childState = "failed" // panicked, and not restarted
)

// child is an actor that a supervisor starts. Each start is a new life.
type child struct {
	Spec
	state      childState
	since      time.Time
	life       *Life // the latest life
	pid        *actor.PID
	supervises bool // has children of its own
	restarts   int
	lastErr    error
	retries    *Schedule
	timer      *time.Timer
	next       *Spec // successor, started when this child has ended; nil: no successor
}

// Open prepares the Supervisor. The actor calls it when it starts.
func (s *Supervisor) Open(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	s.post = func(message any) { Send(engine, self, message) }
	s.children, s.byLife = map[string]*child{}, map[*Life]*child{}
}

// Supervise handles a message about children.
func (s *Supervisor) Supervise(c *actor.Context) {
	switch m := c.Message().(type) {
	case Failed:
		s.failed(m)
	case Ended:
		s.ended(c, m)
	case survived:
		s.missed(c)
	case respawn:
		s.respawn(c, m)
	case ListChildren:
		m.Reply.Send(s.status(c), nil)
	case Stop:
		s.stop(c, m)
	}
}

// Stopping reports whether the Supervisor ends its children and starts no others.
func (s *Supervisor) Stopping() bool { return s.stopping != nil }

// Spawn starts a child, which handles Started before Spawn returns. The error is ErrStopped, or
// that of a producer that panicked.
func (s *Supervisor) Spawn(c *actor.Context, spec Spec) error {
	if s.Stopping() {
		return ErrStopped
	}
	if s.children[spec.ID] != nil {
		return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("actor %s exists already", spec.ID)}
	}
	ch := &child{Spec: spec, retries: NewSchedule()}
	s.children[spec.ID] = ch
	s.spawn(c, ch)
	if ch.life == nil && spec.Once {
		s.forget(c, ch)
	}
	if ch.life == nil {
		return ch.lastErr
	}
	return nil
}

// Replace starts a child. If a child with this id runs, Replace only stores the Spec, which applies from the child's
// next start. If such a child is ending, the new child starts after its end, and later is true.
func (s *Supervisor) Replace(c *actor.Context, spec Spec) (later bool) {
	ch := s.children[spec.ID]
	switch {
	case ch == nil:
		_ = s.Spawn(c, spec) // crashed has reported it
	case ch.state == childStopping:
		ch.next = &spec
		return true
	default:
		ch.Spec = spec
	}
	return false
}

// End ends a child without waiting. hollywood's own function waits for the children one after the
// other, and for ever for a child that was poisoned before.
func (s *Supervisor) End(c *actor.Context, id string) {
	ch := s.children[id]
	if ch == nil {
		return
	}
	if ch.timer != nil {
		ch.timer.Stop()
	}
	waiting := ch.state == childRestarting
	ch.state, ch.since = childStopping, time.Now()
	s.changed(ch)
	switch {
	case waiting && s.byLife[ch.life] == nil:
		s.forget(c, ch)
	case waiting:
	case ch.supervises:
		Send(c.Engine(), ch.pid, Stop{})
	default:
		c.Engine().Poison(ch.pid)
	}
}

// spawn starts a life of a child. The producer runs here: a panic of it in hollywood would leave
// an actor that is registered but never runs.
func (s *Supervisor) spawn(c *actor.Context, ch *child) {
	receiver, err := produced(ch.Produce)
	if err != nil {
		s.crashed(ch, err)
		return
	}
	_, ch.supervises = receiver.(supervises)
	ch.life = s.NewLife(ch.ID)
	ch.state, ch.since = childRunning, time.Now()
	s.byLife[ch.life] = ch
	defer s.changed(ch)
	options := ch.life.Options
	if ch.supervises {
		options = ch.life.SupervisorOptions
	}
	id := url.PathEscape(ch.ID) // the name of a server may contain a slash
	ch.pid = c.SpawnChild(func() actor.Receiver { return receiver }, "child", options(id)...)
	s.Directory.set(ch.ID, Address{Engine: c.Engine(), PID: ch.pid, Gone: s.Gone, Ended: ch.life.Ended()})
}

// supervises is implemented by the receivers that embed a Supervisor.
type supervises interface{ Stopping() bool }

// NewLife returns the Life for one spawn of an actor.
func (s Supervision) NewLife(id string) *Life {
	life := NewLife()
	life.faulted = func(err error) {
		LogFailure(s.Logger, slog.LevelError, "supervisor panicked", err, slog.String("actor", id))
	}
	if s.Intercept != nil {
		life.intercept = func(message any) { s.Intercept(id, message) }
	}
	return life
}

func produced(p actor.Producer) (r actor.Receiver, err error) {
	defer rescue.Into(&err)
	return p(), nil
}

// failed handles the panic of a child, which is about to end.
func (s *Supervisor) failed(m Failed) {
	if ch := s.byLife[m.Life]; ch != nil {
		s.crashed(ch, (&rescue.Error{Reason: m.Reason, Stack: m.Stack}).Internal())
	}
}

// crashed removes a child from the directory and schedules its restart. It logs last, because a
// log handler that panics must not prevent the restart.
func (s *Supervisor) crashed(ch *child, err error) {
	defer LogFailure(s.Logger, slog.LevelError, "actor failed", err, slog.String("actor", ch.ID))
	s.Directory.remove(ch.ID)
	ch.lastErr = err
	defer s.changed(ch)
	if ch.Once || ch.state == childStopping {
		return
	}
	worked := time.Duration(0)
	if ch.state == childRunning {
		worked = time.Since(ch.since)
	}
	delay := ch.retries.Next(worked)
	ch.state, ch.since = childRestarting, time.Now()
	s.later(ch, delay)
	if s.Down != nil {
		s.Down(ch.ID, delay, err)
	}
}

func (s *Supervisor) later(ch *child, delay time.Duration) {
	post, again := s.post, respawn{ch.ID}
	ch.timer = time.AfterFunc(delay, func() { post(again) })
}

// respawn restarts a child when its id is free. hollywood ignores a Spawn with an id
// that is taken.
func (s *Supervisor) respawn(c *actor.Context, m respawn) {
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

// ended handles the end of a life. A child that is not Once and ends by itself is restarted.
func (s *Supervisor) ended(c *actor.Context, m Ended) {
	ch := s.byLife[m.Life]
	delete(s.byLife, m.Life)
	switch {
	case ch == nil || ch.life != m.Life: // restarted meanwhile
	case ch.Once || ch.state == childStopping:
		s.forget(c, ch)
	case ch.state == childRunning:
		s.crashed(ch, fmt.Errorf("actor %s ended by itself", ch.ID))
	}
	s.answerStopped(c)
}

// missed handles the ends of children whose messages were lost in a panic.
func (s *Supervisor) missed(c *actor.Context) {
	for life := range s.byLife {
		select {
		case <-life.Ended():
			func() {
				defer rescue.Ignore() // the panic of a log handler; the next child must not miss its turn
				s.ended(c, Ended{Life: life})
			}()
		default:
		}
	}
}

// forget removes a child that is not restarted, and starts its successor.
func (s *Supervisor) forget(c *actor.Context, ch *child) {
	s.Directory.remove(ch.ID)
	delete(s.children, ch.ID)
	if s.Over != nil {
		s.Over(ch.ID, ch.lastErr)
	}
	if ch.Once && ch.lastErr != nil {
		ch.state = childFailed
		s.changed(ch)
		s.failures = append(s.failures, s.statusOf(ch))
		if len(s.failures) > maxFailures {
			if s.Changed != nil {
				s.Changed(s.failures[0], true)
			}
			s.failures = s.failures[1:]
		}
		return
	}
	s.report(ch, true)
	if ch.next != nil {
		_ = s.Spawn(c, *ch.next) // crashed has reported it
	}
}

func (s *Supervisor) stop(c *actor.Context, m Stop) {
	s.stopping = append(s.stopping, m.Reply)
	for id, ch := range s.children {
		if ch.state != childStopping {
			s.End(c, id)
		}
	}
	s.answerStopped(c)
}

func (s *Supervisor) answerStopped(c *actor.Context) {
	if !s.Stopping() || len(s.byLife) > 0 {
		return
	}
	for _, reply := range s.stopping {
		reply.Send(struct{}{}, nil)
	}
	if c.Parent() != nil {
		c.Engine().Poison(c.PID())
	}
}

// status returns the status of all children, and of those that failed last, by name.
func (s *Supervisor) status(c *actor.Context) []toolscript.ActorStatus {
	all := slices.Clone(s.failures)
	for _, ch := range s.children {
		all = append(all, s.measured(c, ch))
	}
	slices.SortStableFunc(all, func(a, b toolscript.ActorStatus) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (s *Supervisor) statusOf(ch *child) toolscript.ActorStatus {
	status := toolscript.ActorStatus{Name: ch.ID, State: string(ch.state), Since: ch.since, Restarts: ch.restarts, Parent: s.ID}
	err := ch.lastErr
	if ch.life != nil {
		status.Waiting, status.Messages = ch.life.Waiting(), ch.life.Handled()
		if fault := ch.life.Fault(); fault != nil {
			err = fault
		}
	}
	status.LastError, status.LastStack = Described(err)
	return status
}

// measured returns the status of a child with the delay of its mailbox.
func (s *Supervisor) measured(c *actor.Context, ch *child) toolscript.ActorStatus {
	status := s.statusOf(ch)
	if ch.state == childRunning {
		if delay := ch.life.Delay(c.Engine(), ch.pid); delay >= time.Millisecond {
			status.MailboxMs = float64(delay.Milliseconds())
		}
	}
	return status
}

// changed reports the state of a child.
func (s *Supervisor) changed(ch *child) { s.report(ch, false) }

func (s *Supervisor) report(ch *child, gone bool) {
	if s.Changed != nil {
		s.Changed(s.statusOf(ch), gone)
	}
}

// maxStack bounds the stack of a panic in the status, in bytes.
const maxStack = 4 << 10

// Described returns the text and the stack of an error for the status of an actor; "" for nil.
func Described(err error) (text, stack string) {
	if err == nil {
		return "", ""
	}
	if p := (*rescue.Error)(nil); errors.As(err, &p) {
		stack = strings.ToValidUTF8(string(p.Stack[:min(len(p.Stack), maxStack)]), "")
	}
	return err.Error(), stack
}
