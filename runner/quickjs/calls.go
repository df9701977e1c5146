package quickjs

import (
	"strconv"
	"time"

	"github.com/toolscript/toolscript/runner"
)

// pendingCalls are the calls in flight.
type pendingCalls struct {
	keep map[int]pendingCall // by number
	kept int                 // number of calls that the run waits for
}

type pendingCall struct {
	awaited bool    // the run waits for the call after the end of the script
	begun   []frame // the functions that ran when the call began
}

func (p *pendingCalls) none() bool { return len(p.keep) == 0 }

func (p *pendingCalls) add(id int, task bool, begun []frame) {
	p.keep[id] = pendingCall{begun: begun}
	if !task {
		p.await(id)
	}
}

// await makes the run wait for a call in flight.
func (p *pendingCalls) await(id int) {
	if c, known := p.keep[id]; known && !c.awaited {
		c.awaited = true
		p.keep[id] = c
		p.kept++
	}
}

// remove removes a call. known reports whether it was in flight.
func (p *pendingCalls) remove(id int) (c pendingCall, known bool) {
	c, known = p.keep[id]
	delete(p.keep, id)
	if c.awaited {
		p.kept--
	}
	return c, known
}

// busy reports whether, after the end of the script, the run must wait for calls, timers or
// input. deadline is the end of this wait, or never.
func (r *run) busy() (deadline time.Time, busy bool, err error) {
	if r.input.asked > 0 || r.calls.kept > 0 && r.job.Answer == nil {
		return never, true, nil
	}
	if r.timers.strong > 0 {
		if deadline, busy, err = r.leftOver.busy(r); busy || err != nil {
			return deadline, busy, err
		}
	}
	if r.calls.kept == 0 {
		return never, false, nil
	}
	now := time.Now()
	if r.graceEnds.IsZero() {
		r.graceEnds = now.Add(runner.Grace)
	}
	return r.graceEnds, now.Before(r.graceEnds), nil
}

// cancel(call)
func (r *run) cancelCall(a arguments) handle {
	if _, known := r.calls.keep[a.integer(0)]; known {
		r.host.Cancel(strconv.Itoa(a.integer(0)))
	}
	return r.instance.undefined()
}

// await(call): makes the run wait for a task
func (r *run) awaitCall(a arguments) handle {
	r.calls.await(a.integer(0))
	return r.instance.undefined()
}

// frames() → the stack trace of the moment at which the call that has just ended began
func (r *run) framesOfCall(arguments) handle {
	return r.instance.newString(r.instance.heap().trace(r.ended))
}
