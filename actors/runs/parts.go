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
