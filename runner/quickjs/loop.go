package quickjs

import (
	"math"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
)

// await runs the script until a promise is settled, and returns its value.
func (r *run) await(promise handle, phase toolscript.Phase) (handle, error) {
	// What the promise is rejected with is reported here, so it is not an unhandled rejection.
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
		if len(r.calls) == 0 && r.timers.empty() && r.input.asked == 0 {
			return 0, errNeverSettled
		}
		if err := r.wait(); err != nil {
			return 0, err
		}
	}
}

// runRemainingTimers runs the timers that the script left, as other engines do. Calls that were
// not awaited do not keep a run alive.
func (r *run) runRemainingTimers() error {
	for {
		if err := r.drain(); err != nil {
			return err
		}
		if err := r.unhandledRejection(); err != nil || r.timers.strong == 0 {
			return err
		}
		if err := r.wait(); err != nil {
			return err
		}
	}
}

// drain runs all jobs that are ready. Each may add another, so the limits are checked
// between them.
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

// wait waits for one event and passes it on.
func (r *run) wait() error {
	if r.timers.empty() && r.input.asked == 0 {
		r.host.Idle(len(r.calls))
	}
	if answer, ok := r.host.Next(r.watch.ctx, r.spare(time.Now())); ok {
		return r.deliver(answer)
	}
	if !r.timers.empty() && !r.timers.next().After(time.Now()) {
		return r.enter(r.instance.entries.fire, r.integer(r.timers.pop()))
	}
	r.watch.due()
	return r.check()
}

// spare is the time until the next timer fires or the time limit is over.
func (r *run) spare(now time.Time) time.Duration {
	wait := time.Duration(math.MaxInt64)
	if left, bounded := r.watch.left(now); bounded && !r.watch.clock.Stopped() {
		wait = left
	}
	if !r.timers.empty() {
		wait = min(wait, r.timers.next().Sub(now))
	}
	return max(wait, 0)
}

// deliver passes an answer to the script. An answer to an unknown call is dropped.
func (r *run) deliver(a Answer) error {
	if a.CallID == "" {
		return r.feed(a)
	}
	id, err := strconv.Atoi(a.CallID)
	if _, known := r.calls[id]; err != nil || !known {
		return nil //nolint:nilerr // unknown
	}
	delete(r.calls, id)
	if a.Err == nil || a.Err.Code != toolscript.Cancelled {
		r.completed++
	}
	how, answer := r.answer(a)
	return r.enter(r.instance.entries.settle, r.integer(id), r.integer(how), answer)
}

// enter calls a function of the prelude that may run script.
func (r *run) enter(f handle, args ...handle) error {
	result, bad := r.instance.invoke(f, args...)
	if err := r.check(); err != nil || bad {
		return r.thrown(err, result, toolscript.Executing)
	}
	r.instance.free(result)
	return nil
}
