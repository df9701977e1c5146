// Package execution runs scripts. Runs is the actor that begins runs, one child
// actor each, knows them by id and by capability, and keeps the records of the
// last ones. A run compiles its script in a checker, waits for the servers it
// names, and runs it in a sandbox; every budget that can be counted outside the
// sandbox is enforced here.
package execution

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

// kept is how many records of ended runs are held.
const kept = 200

// Runs is the state of the actor; only Receive touches it.
type Runs struct {
	deps  *Deps
	known *known
	left  *leftovers
	live  map[string]*liveRun
	past  []toolscript.RunRecord // ended ones, the oldest first
	tails map[string]*host       // of ended ones that have left tasks behind
}

// liveRun is what is known of a run under way without asking it.
type liveRun struct {
	at         mailbox.Address // its actor; zero until spawned
	capability string
	ctx        context.Context // ends with the run
	cancel     context.CancelCauseFunc
	events     *emitter
	stdin      *stdin
	asks       *asks
	record     toolscript.RunRecord // without calls
	host       *host
	late       []callEnded // before the record was filed
}

// New makes the producer of the actor.
func New(d Deps) actor.Producer {
	return func() actor.Receiver { return &Runs{deps: &d, known: newKnown(), left: &leftovers{}} }
}

// Receive handles one message.
func (r *Runs) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		r.live, r.tails = map[string]*liveRun{}, map[string]*host{}
	case Begin:
		r.begin(c, m)
	case spawned:
		r.spawned(m)
	case entered:
		r.entered(m)
	case ended:
		r.ended(m)
	case lateCall:
		r.lateCall(m)
	case gone:
		r.broken(m)
	case Stdin:
		r.giveStdin(m)
	case Answer:
		r.answer(m)
	case Get:
		r.get(c, m)
	case List:
		m.Reply.Send(r.list(), nil)
	case Abort:
		r.abort(m)
	case Door:
		r.door(m)
	case Whose:
		m.Reply.Send(r.whose(m.Capability), nil)
	case actor.Stopped:
		r.end()
	}
}

// begin makes the run and its actor.
func (r *Runs) begin(c *actor.Context, m Begin) {
	if m.Request.File == "" {
		m.Request.File = "script.ts"
	}
	id, capability := "run_"+hex.EncodeToString(random(8)), base64.RawURLEncoding.EncodeToString(random(32))
	limits, lowered := Effective(m.Request.Limits, r.deps.Limits())
	ctx, cancel := context.WithCancelCause(m.Ctx)
	events := newEmitter(id, r.deps.Kept.Dir, m.Emit, func(err error) {
		cancel(&toolscript.Error{Kind: toolscript.Cancelled, Err: fmt.Errorf("the client went away: %w", err)})
	})
	context.AfterFunc(ctx, events.release)
	mode := cmp.Or(m.Request.Check, toolscript.CheckError)
	record := toolscript.RunRecord{
		RunID: id, State: "checking", File: m.Request.File, Engine: cmp.Or(m.Request.Engine, toolscript.EngineQuickJS), Check: mode, CheckOnly: m.Request.CheckOnly,
		StartedAt: time.Now(), Limits: limits, Lowered: lowered, Allow: m.Request.Allow, Calls: []toolscript.CallRecord{},
	}
	in := newStdin(m.Request.Stdin)
	questions := &asks{somebody: m.Request.Ask, most: limits.Questions, open: map[string]*ask{}, fits: func(schema, value []byte) bool { return r.deps.Fits(schema, value) }}
	child := &run{
		parent: c.PID(), ctx: ctx, cancel: cancel, events: events, record: record, calls: map[string]int{},
		work: &work{
			id: id, capability: capability, request: m.Request, limits: limits, lowered: lowered, mode: mode, deps: r.deps, known: r.known, start: record.StartedAt,
			host: &host{
				id: id, deps: r.deps, allow: m.Request.Allow, limits: limits, events: events, stdin: in, asks: questions, clock: &runner.Clock{},
				out:   &console{run: id, limits: limits, events: events, kept: r.deps.Kept},
				turns: &turns{free: limits.Concurrency}, running: map[string]*flight{}, left: r.left,
			},
		},
	}
	live := &liveRun{
		capability: capability, ctx: ctx, cancel: cancel, events: events, stdin: in, asks: questions, record: record,
		host: child.work.host,
	}
	r.live[id] = live
	m.Reply.Send(Handle{ID: id, Done: events.done}, nil)
	r.spawn(c, id, child)
}

// spawn has the supervisor start the run's actor, which ends with the run.
func (r *Runs) spawn(c *actor.Context, id string, child *run) {
	engine, self, spawn := c.Engine(), c.PID(), r.deps.Spawn
	mailbox.Go(func() {
		at, err := spawn(child.ctx, "run/"+id, func() actor.Receiver { return child })
		engine.Send(self, spawned{id, at, err})
		if err == nil {
			<-at.Ended
			engine.Send(self, gone{id, mailbox.ErrEnded})
		}
	}, func(err error) { engine.Send(self, gone{id, err}) })
}

func (r *Runs) spawned(m spawned) {
	live := r.live[m.id]
	switch {
	case live == nil: // ended already
	case m.err != nil:
		r.broken(gone{m.id, m.err})
	default:
		live.at = m.at
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, says crypto/rand
	return b
}

func (r *Runs) entered(m entered) {
	if live := r.live[m.id]; live != nil {
		live.record.State = m.state
	}
}

// ended files the record of a run and tells the client, who may be slow to hear
// it.
func (r *Runs) ended(m ended) { r.file(m.id, m.record, m.end) }

// file moves a run from those under way to those that have ended.
func (r *Runs) file(id string, record toolscript.RunRecord, end toolscript.End) {
	live := r.live[id]
	if live == nil {
		return
	}
	delete(r.live, id)
	live.cancel(nil)
	for _, call := range live.late {
		call.enterInto(&record)
	}
	r.past = append(r.past, record)
	if len(r.past) > kept {
		r.past = slices.Delete(r.past, 0, len(r.past)-kept)
	}
	if !live.host.idle() {
		r.tails[id] = live.host
	}
	live.events.end(end)
}

// lateCall notes the end of a call that its run has left behind.
func (r *Runs) lateCall(m lateCall) {
	if live := r.live[m.run]; live != nil {
		live.late = append(live.late, m.call)
		return
	}
	for i := range r.past {
		if r.past[i].RunID == m.run {
			m.call.enterInto(&r.past[i])
		}
	}
	if left := r.tails[m.run]; left != nil && left.idle() {
		delete(r.tails, m.run)
	}
}

// enterInto notes the end of a call in a copy of the calls: others may be reading
// those that there are.
func (m callEnded) enterInto(record *toolscript.RunRecord) {
	record.Calls = slices.Clone(record.Calls)
	i := slices.IndexFunc(record.Calls, func(c toolscript.CallRecord) bool { return c.CallID == m.callID })
	if i < 0 { // it was still waiting for its turn when the run ended
		i = len(record.Calls)
		record.Calls = append(record.Calls, toolscript.CallRecord{CallID: m.callID, Tool: m.tool, Task: m.task, Detached: true})
	}
	m.enter(&record.Calls[i])
}

// broken ends a run whose actor is gone without a last word: it panicked, which
// the supervisor has logged, or it could not be started.
func (r *Runs) broken(m gone) {
	live := r.live[m.id]
	if live == nil {
		return
	}
	end := failed(m.id, m.why, nil)
	record := live.record
	record.Close(end)
	r.file(m.id, record, end)
}

// notRunning says why a run cannot be asked.
func (r *Runs) notRunning(id string) error {
	if slices.ContainsFunc(r.past, func(rec toolscript.RunRecord) bool { return rec.RunID == id }) {
		return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("run %s has ended", id)}
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no run %q; the last %d are listed by GET /runs", id, kept)}
}

// get answers with the record; of a run under way its actor has the calls.
func (r *Runs) get(c *actor.Context, m Get) {
	for _, rec := range r.past {
		if rec.RunID == m.ID {
			m.Reply.Send(rec, nil)
			return
		}
	}
	switch live := r.live[m.ID]; {
	case live == nil:
		m.Reply.Send(toolscript.RunRecord{}, r.notRunning(m.ID))
	case live.at.PID == nil:
		m.Reply.Send(live.record, nil)
	default:
		r.ask(c, live.at, m)
	}
}

// ask has the actor of a run answer. One that ends before it does has told its record
// by then, or its end will be told: the question comes back here.
func (r *Runs) ask(c *actor.Context, at mailbox.Address, m Get) {
	engine, self := c.Engine(), c.PID()
	ctx, cancel := context.WithTimeout(context.Background(), describeTime)
	mailbox.Go(func() {
		defer cancel()
		record, err := mailbox.Ask(ctx, at, func(reply mailbox.Reply[toolscript.RunRecord]) any { return describe{reply} })
		if errors.Is(err, mailbox.ErrEnded) {
			engine.Send(self, m)
			return
		}
		m.Reply.Send(record, err)
	}, func(err error) { m.Reply.Send(toolscript.RunRecord{}, err) })
}

// describeTime bounds the question to a run for its record, which takes microseconds.
const describeTime = 10 * time.Second

func (r *Runs) list() []toolscript.RunRecord {
	records := slices.Clone(r.past)
	for _, live := range r.live {
		records = append(records, live.record)
	}
	slices.SortFunc(records, func(a, b toolscript.RunRecord) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.RunID, b.RunID))
	})
	records = records[:min(kept, len(records))]
	for i := range records {
		records[i].Calls = nil
	}
	return records
}

func (r *Runs) abort(m Abort) {
	live := r.live[m.ID]
	if left := r.tails[m.ID]; left != nil && left.stopTasks() {
		m.Reply.Send(struct{}{}, nil)
		return
	}
	if live == nil {
		m.Reply.Send(struct{}{}, r.notRunning(m.ID))
		return
	}
	live.cancel(&toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run was aborted")})
	m.Reply.Send(struct{}{}, nil)
}

// StdinTime is how long a piece of standard input waits to be taken.
const StdinTime = 30 * time.Second

// giveStdin waits for the script off the actor's goroutine.
func (r *Runs) giveStdin(m Stdin) {
	live := r.live[m.ID]
	if live == nil {
		m.Reply.Send(struct{}{}, r.notRunning(m.ID))
		return
	}
	ctx, cancel := context.WithTimeout(live.ctx, StdinTime)
	mailbox.Go(func() {
		defer cancel()
		m.Reply.Send(struct{}{}, live.stdin.give(ctx, m.Piece))
	}, func(err error) { m.Reply.Send(struct{}{}, err) })
}

// door answers with the way into a run under way. Its calls end with the run.
func (r *Runs) door(m Door) {
	live := r.live[m.ID]
	if live == nil || live.at.PID == nil {
		m.Reply.Send(nil, r.notRunning(m.ID))
		return
	}
	m.Reply.Send(func(ctx context.Context, call toolscript.Call) (json.RawMessage, error) {
		if live.ctx.Err() != nil {
			return nil, errAborted
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(live.ctx, func() { cancel(errAborted) })()
		return live.host.Outside(ctx, call)
	}, nil)
}

func (r *Runs) answer(m Answer) {
	live := r.live[m.ID]
	if live == nil {
		m.Reply.Send(struct{}{}, r.notRunning(m.ID))
		return
	}
	m.Reply.Send(struct{}{}, live.asks.give(m.Answer))
}

// whose finds a run by its capability without telling by its time how much of
// it was right.
func (r *Runs) whose(capability string) (found Holder) {
	for id, live := range r.live {
		if subtle.ConstantTimeCompare([]byte(live.capability), []byte(capability)) == 1 {
			found = Holder{id, live.host.allow}
		}
	}
	return found
}

// end aborts what runs; the gateway is shutting down or this actor broke.
func (r *Runs) end() {
	for id, live := range r.live {
		live.cancel(mailbox.ErrStopped)
		live.events.end(failed(id, mailbox.ErrStopped, nil))
	}
	r.live = nil
}
