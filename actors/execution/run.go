package execution

import (
	"context"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// run is the actor of one script run. It holds the record; its work goroutine
// runs the script and tells it what happened. Only Receive touches it.
type run struct {
	parent *actor.PID // Runs
	work   *work
	ctx    context.Context
	cancel context.CancelCauseFunc
	events *emitter
	record toolscript.RunRecord
	calls  map[string]int // CallID → place in record.Calls
}

// Receive handles one message.
func (r *run) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		r.begin(c)
	case entered:
		r.entered(c, m)
	case callBegan:
		r.callBegan(m)
	case callEnded:
		r.callEnded(m)
	case describe:
		m.reply.Send(r.snapshot(), nil)
	case finished:
		r.finish(c, m.end)
	case actor.Stopped:
		r.cancel(mailbox.ErrStopped)
	}
}

// begin starts the work. Whatever happens in it, finished comes back.
func (r *run) begin(c *actor.Context) {
	engine, self, w, ctx := c.Engine(), c.PID(), r.work, r.ctx
	w.tell = func(m any) { engine.Send(self, m) }
	w.host.tell = w.tell
	parent, id := r.parent, w.id
	w.host.late = func(m callEnded) { engine.Send(parent, lateCall{id, m}) }
	w.enter = func(state string) { w.tell(entered{w.id, state}) }
	mailbox.Go(func() {
		w.tell(finished{w.do(ctx)})
	}, func(err error) {
		w.host.close(false)
		w.tell(finished{failed(w.id, err, nil)})
	})
}

func (r *run) entered(c *actor.Context, m entered) {
	r.record.State = m.state
	c.Engine().Send(r.parent, m)
}

func (r *run) callBegan(m callBegan) {
	r.calls[m.callID] = len(r.record.Calls)
	r.record.Calls = append(r.record.Calls, toolscript.CallRecord{CallID: m.callID, Tool: m.tool, Task: m.task})
}

func (r *run) callEnded(m callEnded) {
	i, known := r.calls[m.callID]
	if !known {
		return
	}
	m.enter(&r.record.Calls[i])
}

// enter notes in a record how the call ended.
func (m callEnded) enter(call *toolscript.CallRecord) {
	call.OK, call.Kind, call.Ms = &m.ok, m.kind, m.ms
}

// snapshot is the record as it stands; the caller may keep it.
func (r *run) snapshot() toolscript.RunRecord {
	record := r.record
	record.Calls = append([]toolscript.CallRecord{}, r.record.Calls...)
	return record
}

// finish closes the record, hands it to the parent and ends the actor.
func (r *run) finish(c *actor.Context, end toolscript.End) {
	r.record.Close(end)
	r.cancel(nil)
	c.Engine().Send(r.parent, ended{r.work.id, r.snapshot(), end})
	c.Engine().Poison(c.PID())
}
