package quickjs

import (
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
)

// await runs the script until a promise of it is settled, and gives its value.
func (r *run) await(promise box, phase toolscript.Phase) (box, error) {
	// What the promise is rejected with is reported here, so it is not unheard.
	r.guest.call(fnPromiseHandled, uint64(promise))
	for {
		if err := r.drain(); err != nil {
			return 0, err
		}
		switch r.guest.call(fnPromiseState, uint64(promise)) {
		case promiseFulfilled:
			return box(r.guest.call(fnPromiseResult, uint64(promise))), r.check()
		case promiseRejected:
			return 0, r.thrown(r.check(), box(r.guest.call(fnPromiseResult, uint64(promise))), phase)
		}
		if err := r.firstUnheard(); err != nil {
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

// linger runs the timers that the script has left, as other engines do. Calls
// that nobody awaited do not keep a run alive.
func (r *run) linger() error {
	for {
		if err := r.drain(); err != nil {
			return err
		}
		if err := r.firstUnheard(); err != nil || r.timers.strong == 0 {
			return err
		}
		if err := r.wait(); err != nil {
			return err
		}
	}
}

// drain runs all jobs that are ready. Each may add another, so the limits are
// looked at after each.
func (r *run) drain() error {
	for {
		ran := int32(r.guest.call(fnExecuteJob)) // 0 when none was ready: asking first would double the calls
		if ran < 0 {
			return r.thrown(r.check(), box(r.guest.call(fnException)), toolscript.Executing)
		}
		if ran == 0 {
			return r.check()
		}
		r.watch.due()
		if err := r.check(); err != nil {
			return err
		}
	}
}

// wait waits for one thing that the script waits for, and passes it on.
func (r *run) wait() error {
	var timer, deadline <-chan time.Time
	if !r.timers.empty() {
		timer = time.After(time.Until(r.timers.next()))
	}
	standing, changed := r.watch.clock.Standing()
	if left, bounded := r.watch.left(time.Now()); bounded && !standing {
		deadline = time.After(left)
	}
	select {
	case answer, open := <-r.host.Answers():
		if !open {
			return errCancelled
		}
		return r.deliver(answer)
	case <-timer:
		return r.enter(r.guest.entries.fire, r.integer(r.timers.pop()))
	case <-changed: // what is left of the time is another
		return nil
	case <-deadline:
	case <-r.watch.ctx.Done():
	}
	r.watch.due()
	return r.check()
}

// deliver passes an answer to the script. One for nobody is dropped.
func (r *run) deliver(a Answer) error {
	if a.CallID == "" {
		return r.feed(a)
	}
	id, known := r.called(a.CallID)
	if !known {
		return nil
	}
	delete(r.calls, id)
	if a.Err == nil || a.Err.Code != toolscript.Cancelled {
		r.completed++
	}
	text, failed := string(a.Value), 0
	if a.Err != nil {
		text, failed = errorJSON(a.Err), 1
	}
	p := r.guest.tryPlace(text)
	if p == 0 && r.guest.err == nil {
		text, failed = errorJSON(tooLarge(len(text))), 1
		p = r.guest.place(text)
	}
	return r.enter(r.guest.entries.settle, r.integer(id), r.integer(failed), r.guest.stringAt(p, len(text)))
}

// called is the number of a call that is under way.
func (r *run) called(callID string) (id int, known bool) {
	id, err := strconv.Atoi(callID)
	if err == nil {
		_, known = r.calls[id]
	}
	return id, known
}

func (r *run) feed(a Answer) error {
	if r.input.ended {
		return nil
	}
	text := r.input.take(a.Stdin, a.StdinEOF)
	if err := r.enter(r.guest.entries.feed, r.guest.newString(text)); err != nil || !a.StdinEOF {
		return err
	}
	if a.StdinErr != "" {
		return r.enter(r.guest.entries.feed, r.guest.undefined(), r.guest.newString(a.StdinErr))
	}
	return r.enter(r.guest.entries.feed, r.guest.undefined())
}

// enter calls a function of the prelude that may run script.
func (r *run) enter(f box, args ...box) error {
	result, bad := r.guest.invoke(f, args...)
	if err := r.check(); err != nil || bad {
		return r.thrown(err, result, toolscript.Executing)
	}
	r.guest.free(result)
	return nil
}

// firstUnheard is an error when a promise was rejected and nobody has listened
// by the time all jobs have run.
func (r *run) firstUnheard() error {
	if first := r.unheard.first(); first != nil {
		return &thrown{first.reason, toolscript.Executing}
	}
	return nil
}
