package runs

import (
	"cmp"
	"context"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

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
