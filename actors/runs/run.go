package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

// run is the actor of one run and owns its state. A goroutine takes the script
// through its stages (work) and uses calls, console, stdin and elicitations, which
// are safe for concurrent use; the record is changed by Receive only.
type run struct {
	id         string
	capability string
	shared     *shared
	parent     *actor.PID // Runs
	begin      Begin
	ctx        context.Context // ends with the script
	cancel     context.CancelCauseFunc

	record    toolscript.RunRecord // without calls while the run is live
	events    *emitter
	calls     *calls
	console   *console
	stdin     *stdin
	questions *elicitations
	work      *work
	lent      *lent // see lend
	settled   bool
	fault     error // reason for the end of the run, if the current message ends the actor
}

// The messages to a run from its goroutines.
type (
	stageEntered struct{ state string } // one of RunRecord.State; "": what operators see has changed in the same stage
	scriptEnded  struct{ end toolscript.End }
	callsSettled struct{} // no call is in flight any more
)

func newRun(s *shared, parent *actor.PID, m Begin) *run {
	q := &m.Request
	q.File, q.Engine, q.Check = cmp.Or(q.File, "script.ts"), cmp.Or(q.Engine, toolscript.EngineQuickJS), cmp.Or(q.Check, toolscript.CheckError)
	r := &run{
		id: "run_" + hex.EncodeToString(random(8)), capability: base64.RawURLEncoding.EncodeToString(random(32)),
		shared: s, parent: parent, begin: m, fault: mailbox.ErrStopped,
	}
	r.ctx, r.cancel = context.WithCancelCause(m.Ctx)
	return r
}

// assemble creates the parts of the run.
func (r *run) assemble(tell func(any)) {
	s, q := r.shared, r.begin.Request
	limits, lowered := Effective(q.Limits, s.deps.Limits())
	r.record = toolscript.RunRecord{
		RunID: r.id, State: "checking", File: q.File, Engine: q.Engine, Check: q.Check, CheckOnly: q.CheckOnly,
		StartedAt: time.Now(), Limits: limits, Lowered: lowered, Allow: q.Allow, Profile: q.Profile, Agent: q.Agent,
	}
	r.events = newEmitter(r.id, s.deps.Kept.Dir, r.begin.Emit, func(err error) {
		r.cancel(&toolscript.Error{Kind: toolscript.Cancelled, Err: fmt.Errorf("the client has disconnected: %w", err)})
	})
	r.events.clean = s.deps.cleanEvent
	context.AfterFunc(r.ctx, r.events.release)
	r.console = &console{run: r.id, limits: limits, events: r.events, kept: s.deps.Kept}
	if q.Dialect == toolscript.DialectHarness {
		r.console.paces = newPaces()
	}
	r.stdin = newStdin(q.Stdin, r.events)
	r.questions = &elicitations{
		person: q.Ask, pages: q.AskPages, ended: r.ctx.Done(), max: limits.Questions, open: map[string]*openQuestion{}, fit: s.deps.Fit, events: r.events, clock: &runner.Clock{}, terminal: q.Terminal, paged: func() { tell(stageEntered{}) },
	}
	r.calls = &calls{
		run: r.id, runStart: r.record.StartedAt, trace: q.Trace, profile: q.Profile, ctx: r.ctx, deps: &s.deps, detailed: q.Dialect == toolscript.DialectHarness, allow: q.Allow, limits: limits, events: r.events, questions: r.questions,
		owner: owner{Session: q.Session, WorkDir: q.Cwd}, tasks: &s.tasks, free: limits.Concurrency, inFlight: map[string]*runCall{}, settled: func() { tell(callsSettled{}) },
	}
	r.calls.left = r.calls.timeLeft
	if q.Plan {
		r.calls.plan = &plan{}
	}
	r.work = &work{
		id: r.id, capability: r.capability, request: q, limits: limits, lowered: lowered, deps: &s.deps, cache: s.cache,
		events: r.events, calls: r.calls, console: r.console, stdin: r.stdin, clock: r.questions.clock,
		enter: func(state string) { tell(stageEntered{state}) }, start: r.record.StartedAt,
	}
	r.share()
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never returns an error
	return b
}

// Receive handles one message.
func (r *run) Receive(c *actor.Context) {
	stopping := r.fault
	r.fault = mailbox.ErrEnded // a panic below leads to Stopped
	switch m := c.Message().(type) {
	case actor.Started:
		r.start(c)
	case stageEntered:
		r.record.State = cmp.Or(m.state, r.record.State)
		r.report(c)
	case Get:
		m.Reply.Send(r.snapshot(), nil)
	case Stdin:
		r.giveStdin(m)
	case Answer:
		r.answer(m)
	case GetCaller:
		m.Reply.Send(r.calls.Outside, r.over())
	case Abort:
		m.Reply.Send(struct{}{}, r.abort())
	case scriptEnded:
		r.end(c, m.end)
	case callsSettled:
		r.settle(c)
	case actor.Stopped:
		r.stop(c, stopping)
	}
	r.fault = stopping
}

// start runs the script in a goroutine. It sends scriptEnded in any case.
func (r *run) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	tell := func(m any) { mailbox.Send(engine, self, m) }
	r.assemble(tell)
	r.report(c) // before a client can refer to the run
	r.begin.Reply.Send(Handle{ID: r.id, Done: r.events.done}, nil)
	mailbox.Go(func() {
		tell(scriptEnded{r.work.do(r.ctx)})
	}, func(err error) {
		r.calls.scriptEnded(false)
		tell(scriptEnded{failed(r.id, err, nil)})
	})
}

// report sends the state of the run to Runs, unless it is settled.
func (r *run) report(c *actor.Context) {
	if r.settled {
		return
	}
	mailbox.Send(c.Engine(), r.parent, runChanged{at: c.PID(), capability: r.capability, request: &r.begin.Request, record: r.record, used: r.used, lent: r.lend()})
}

// end closes the record. It tells Runs before it emits the last event, so that a client that
// has the last event gets an up-to-date list of runs.
func (r *run) end(c *actor.Context, end toolscript.End) {
	end.Error = r.shared.deps.cleanError(end.Error)
	r.record.Calls = r.calls.snapshot()
	r.record.Close(end)
	r.record.Calls = nil
	r.cancel(nil)
	if r.calls.idle() {
		r.settle(c)
	} else {
		r.report(c)
	}
	r.events.end(end)
}

// settle reports the complete record. Runs then ends this actor.
func (r *run) settle(c *actor.Context) {
	if r.over() == nil || r.settled {
		return
	}
	r.settled = true
	mailbox.Send(c.Engine(), r.parent, runChanged{at: c.PID(), capability: r.capability, record: r.snapshot(), used: r.used, settled: true})
}

// stop ends the run when the gateway shuts down or a message could not be handled.
func (r *run) stop(c *actor.Context, why error) {
	r.cancel(why)
	if r.work == nil { // the run did not start
		return
	}
	r.calls.stopTasks()
	if r.over() == nil {
		r.calls.scriptEnded(false)
		r.end(c, failed(r.id, why, nil))
	}
	r.settle(c)
}

// snapshot returns a copy of the current record with its calls.
func (r *run) snapshot() toolscript.RunRecord {
	record := r.record
	record.Calls = r.calls.snapshot()
	return record
}
