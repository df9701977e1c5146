package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

// parts are what the actor of a run, the stages of its script, its calls and its nested runs share. They do not change
// after the start, and are safe for concurrent use.
type parts struct {
	id         string
	capability string
	request    toolscript.ExecRequest
	allow      toolscript.Filter // of request
	limits     toolscript.Limits
	lowered    toolscript.Limits // see Effective
	startedAt  time.Time
	ctx        context.Context // ends with the script
	shared     *shared
	deps       *Deps

	events    *emitter
	calls     *calls
	console   *console
	stdin     *stdin
	questions *elicitations // in a nested run, those of its caller

	within *parts        // the run whose script calls this run; nil for the run of a client
	depth  int           // number of runs that this run is nested in
	cpu    *atomic.Int64 // CPU milliseconds of the ended nested runs of all depths
}

// detailed reports whether the end events of calls have their arguments and results.
func (p *parts) detailed() bool { return p.request.Dialect == toolscript.DialectHarness }

// run is the actor of one run and owns its state. A goroutine takes the script
// through its stages (work); the record is changed by Receive only.
type run struct {
	*parts
	parent *actor.PID // Runs
	begin  Begin
	cancel context.CancelCauseFunc

	record  toolscript.RunRecord // without calls while the run is live
	work    *work
	settled bool
	fault   error // reason for the end of the run, if the current message ends the actor
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
	p := &parts{
		id: "run_" + hex.EncodeToString(random(8)), capability: base64.RawURLEncoding.EncodeToString(random(32)),
		request: *q, allow: q.Allow, shared: s, deps: &s.deps, cpu: &atomic.Int64{},
	}
	if m.within != nil {
		p.within, p.depth, p.cpu = m.within, m.within.depth+1, m.within.cpu
	}
	r := &run{parts: p, parent: parent, begin: m, fault: mailbox.ErrStopped}
	p.ctx, r.cancel = context.WithCancelCause(m.Ctx)
	return r
}

// assemble creates the parts of the run.
func (r *run) assemble(tell func(any)) {
	p, q := r.parts, &r.request
	p.limits, p.lowered = Effective(q.Limits, p.deps.Limits())
	p.startedAt = time.Now()
	r.record = toolscript.RunRecord{
		RunID: r.id, State: "checking", File: q.File, Engine: q.Engine, Check: q.Check, CheckOnly: q.CheckOnly,
		StartedAt: p.startedAt, Limits: p.limits, Lowered: p.lowered, Allow: q.Allow, Profile: q.Profile, Agent: q.Agent,
	}
	p.events = newEmitter(r.id, p.deps.Kept.Dir, r.begin.Emit, func(err error) {
		r.cancel(&toolscript.Error{Kind: toolscript.Cancelled, Err: fmt.Errorf("the client has disconnected: %w", err)})
	})
	p.events.clean = p.deps.cleanEvent
	context.AfterFunc(r.ctx, p.events.release)
	p.console = &console{run: r.id, limits: p.limits, events: p.events, kept: p.deps.Kept}
	if p.detailed() {
		p.console.paces = newPaces()
	}
	p.stdin = newStdin(q.Stdin, p.events)
	p.questions = &elicitations{
		person: q.Ask, pages: q.AskPages, ended: r.ctx.Done(), max: p.limits.Questions, open: map[string]*openQuestion{}, fit: p.deps.Fit, events: p.events, clock: &runner.Clock{}, terminal: q.Terminal, paged: func() { tell(stageEntered{}) },
	}
	p.calls = &calls{parts: p, free: p.limits.Concurrency, inFlight: map[string]*runCall{}, settled: func() { tell(callsSettled{}) }}
	p.calls.left = p.calls.timeLeft
	if q.Plan {
		p.calls.plan = &plan{}
	}
	r.work = &work{parts: p, enter: func(state string) { tell(stageEntered{state}) }}
	if p.within != nil {
		r.share()
	}
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
	mailbox.Send(c.Engine(), r.parent, runChanged{at: c.PID(), parts: r.parts, record: r.record, used: r.used})
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
	mailbox.Send(c.Engine(), r.parent, runChanged{at: c.PID(), parts: r.parts, record: r.snapshot(), used: r.used, settled: true})
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
