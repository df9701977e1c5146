package quickjs

import (
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
)

// await runs the script until a promise is settled, and returns the value of the promise or an error.
func (r *run) await(promise handle, phase toolscript.Phase) (handle, error) {
	// This function reports the rejection of the promise, so it is not an unhandled rejection.
	r.instance.call(fnPromiseHandled, uint64(promise))
	for {
		if err := r.drain(); err != nil {
			return 0, err
		}
		switch r.instance.call(fnPromiseState, uint64(promise)) {
		case promiseFulfilled:
			return handle(r.instance.call(fnPromiseResult, uint64(promise))), r.check()
		case promiseRejected:
			return 0, r.thrown(r.check(), handle(r.instance.call(fnPromiseResult, uint64(promise))), phase)
		}
		if err := r.unhandledRejection(); err != nil {
			return 0, err
		}
		if r.calls.none() && r.timers.empty() && r.input.asked == 0 {
			return 0, errNeverSettled
		}
		if err := r.wait(never); err != nil {
			return 0, err
		}
	}
}

// never is the deadline of a wait that is only bounded by the limits of the run.
var never time.Time

// settle runs the script until no call, timer or read of standard input is left that can
// continue it, as in Node. In a model's answer, it waits for calls only for runner.Grace.
func (r *run) settle() error {
	for {
		if err := r.drain(); err != nil {
			return err
		}
		if err := r.unhandledRejection(); err != nil {
			return err
		}
		deadline, busy, err := r.busy()
		if !busy || err != nil {
			return err
		}
		if err := r.wait(deadline); err != nil {
			return err
		}
	}
}

// drain runs all jobs that are ready. Each job may add another, so it checks the limits
// between jobs.
func (r *run) drain() error {
	for n := 1; ; n++ {
		ran := int32(r.instance.call(fnExecuteJob)) // 0 if none was ready; a separate query would double the calls
		if ran < 0 {
			return r.thrown(r.check(), handle(r.instance.call(fnException)), toolscript.Executing)
		}
		if ran == 0 {
			return r.check()
		}
		if n%16 == 0 {
			r.watch.due()
		}
		if err := r.check(); err != nil {
			return err
		}
	}
}

// wait waits for one event, at most until the deadline, and passes it to the script.
func (r *run) wait(deadline time.Time) error {
	if r.timers.empty() && r.input.asked == 0 && deadline.IsZero() {
		r.host.Idle(len(r.calls.keep))
	}
	if answer, ok := r.host.Next(r.watch.ctx, r.spare(time.Now(), deadline)); ok {
		return r.deliver(answer)
	}
	if !r.timers.empty() && !r.timers.next().After(time.Now()) {
		return r.enter(r.instance.entries.fire, r.integer(r.timers.pop()))
	}
	r.watch.due()
	return r.check()
}

// deliver passes an answer to the script. An answer to an unknown call is dropped.
func (r *run) deliver(a Answer) error {
	if a.CallID == "" {
		return r.feed(a)
	}
	id, err := strconv.Atoi(a.CallID)
	if err != nil {
		return nil //nolint:nilerr // an unknown call
	}
	c, known := r.calls.remove(id)
	if !known {
		return nil
	}
	r.ended = c.begun
	if a.Err == nil || a.Err.Code != toolscript.Cancelled {
		r.completed++
	}
	how, answer := r.answer(a)
	return r.enter(r.instance.entries.settle, r.integer(id), r.integer(how), answer)
}

// enter calls a function of the prelude that may run code of the script.
func (r *run) enter(f handle, args ...handle) error {
	result, bad := r.instance.invoke(f, args...)
	if err := r.check(); err != nil || bad {
		return r.thrown(err, result, toolscript.Executing)
	}
	r.instance.free(result)
	return nil
}
