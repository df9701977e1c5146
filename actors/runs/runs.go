// Package runs runs scripts. The files of one run, from top to bottom: runs.go
// has the actor that creates a run, run.go the actor of the run and its state,
// work.go the stages of the script, calls.go its tool calls, and events.go the delivery
// of its events to the client. A script is compiled in a checker process and runs in
// a sandbox process; the budgets that can be counted outside the sandbox are
// enforced here. See docs/design/runs.md.
package runs

import (
	"strings"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Runs is the actor that spawns the actor of each run. A run that panics ends with an error and is
// not restarted. Only Receive touches the state.
type Runs struct {
	mailbox.Supervisor
	shared *shared
	live   map[string]runChanged  // runs whose actors work
	past   []toolscript.RunRecord // settled runs, the oldest first
}

// shared holds the parts that all runs of a gateway use.
type shared struct {
	deps   Deps
	cache  *scriptCache
	tasks  taskMemory
	levels levels
}

// New returns the producer of the actor.
func New(d Deps) actor.Producer {
	return func() actor.Receiver {
		return &Runs{Supervisor: d.Supervisor, shared: &shared{deps: d, cache: newScriptCache(), levels: newLevels()}, live: map[string]runChanged{}}
	}
}

// Receive handles one message.
func (r *Runs) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		r.start(c)
	case Begin:
		r.begin(c, m)
	case runChanged:
		r.runChanged(c, m)
	case ListEntries:
		m.Reply.Send(r.entries(), nil)
	case List:
		m.Reply.Send(r.list(), nil)
	case Count:
		m.Reply.Send(r.count(), nil)
	case FindByCapability:
		m.Reply.Send(r.find(m.Capability), nil)
	case Get:
		r.get(c, m)
	case Abort:
		pass(c, r, m.ID, m.Reply)
	case Stdin:
		pass(c, r, m.ID, m.Reply)
	case Answer:
		pass(c, r, m.ID, m.Reply)
	case GetCaller:
		pass(c, r, m.ID, m.Reply)
	default:
		r.Supervise(c)
	}
}

func (r *Runs) start(c *actor.Context) {
	r.Open(c)
	r.Over = func(id string, _ error) { r.gone(strings.TrimPrefix(id, runPrefix)) }
}

// runPrefix is the prefix of the ids of the actors of runs.
const runPrefix = "run/"

// begin spawns the actor of a run.
func (r *Runs) begin(c *actor.Context, m Begin) {
	if !r.nest(&m) {
		return
	}
	run := newRun(r.shared, c.PID(), m)
	err := r.Spawn(c, mailbox.Spec{ID: runPrefix + run.id, Once: true, Produce: func() actor.Receiver { return run }})
	if err == nil {
		err = mailbox.ErrEnded // counts only if the run has not answered when it started
	} else {
		run.cancel(err)
	}
	m.Reply.Send(Handle{}, err)
}

// pass passes the message to the run with this id.
func pass[T any](c *actor.Context, r *Runs, id string, reply mailbox.Reply[T]) {
	run, live := r.live[id]
	if live {
		mailbox.Send(c.Engine(), run.at, c.Message())
		return
	}
	var none T
	reply.Send(none, r.notLive(id))
}
