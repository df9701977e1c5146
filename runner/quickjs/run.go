package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// run is one job on a fresh guest. It lives on the goroutine that owns the VM.
type run struct {
	guest  *guest
	memory memory
	job    runner.Job
	host   Host
	watch  *watch
	names  *table
	source *source
	zone   *time.Location

	calls    map[int]struct{} // under way
	timers   timers
	input    input
	unheard  []rejection // promises that were rejected with nobody listening
	exitCode int
}

// rejection is a promise that was rejected. Both boxes are ours.
type rejection struct{ promise, reason box }

func newRun(ctx context.Context, v *VM, job runner.Job, host Host) *run {
	v.names = tableFor(job.Names, v.names)
	zone, err := time.LoadLocation(job.TZ)
	if err != nil {
		zone = time.UTC
	}
	return &run{
		guest: v.guest, memory: v.memory, job: job, host: host, names: v.names, zone: zone,
		watch:  newWatch(ctx, job.Limits),
		source: newSource(job),
		calls:  map[int]struct{}{},
		input:  input{ended: !job.Stdin},
	}
}

// thrown is a JavaScript value that nobody caught.
type thrown struct {
	reason box
	phase  toolscript.Phase
}

func (*thrown) Error() string { return "the script threw" }

var (
	errExit         = errors.New("the script called exit")
	errNeverSettled = errors.New("the script's top-level await never settled")
)

// do runs the job and answers with its value as JSON, nil for undefined.
func (r *run) do() (json.RawMessage, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	loading, bad := r.guest.eval(r.job.Compiled.JavaScript, r.source.name, evalModule)
	if err := r.check(); err != nil || bad {
		return nil, r.thrown(err, loading, toolscript.Parsing)
	}
	namespace, err := r.await(loading, toolscript.Executing)
	if err != nil {
		return nil, err
	}
	finishing, bad := r.guest.invoke(r.guest.entries.finish, namespace)
	if err := r.check(); err != nil || bad {
		return nil, r.thrown(err, finishing, toolscript.Finalizing)
	}
	text, err := r.await(finishing, toolscript.Finalizing)
	if err != nil {
		return nil, err
	}
	value, err := r.take(text)
	if err != nil {
		return nil, err
	}
	return value, r.linger()
}

// begin gives the guest the limits of the job and what its script may read.
func (r *run) begin() error {
	heap := uint64(defaultHeap)
	if mb := r.job.Limits.MemoryMB; mb > 0 {
		heap = uint64(mb) << 20
	}
	stack := uint64(largestStack)
	if kb := r.job.Limits.StackKB; kb > 0 {
		stack = min(stack, uint64(kb)<<10)
	}
	r.memory.setLimit(heap + hostRoom)
	r.guest.call(fnSetMemoryLimit, heap)
	r.guest.call(fnSetStackSize, stack)
	about, err := json.Marshal(map[string]any{"args": append([]string{}, r.job.Args...), "cwd": r.job.Cwd, "env": r.job.Env})
	if err != nil {
		return err
	}
	result, bad := r.guest.invoke(r.guest.entries.begin, r.guest.newString(string(about)))
	if err := r.check(); err != nil || bad {
		return r.thrown(err, result, toolscript.Executing)
	}
	r.guest.free(result)
	return nil
}

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
	for r.guest.call(fnIsJobPending) != 0 {
		failed := int32(r.guest.call(fnExecuteJob)) < 0
		if failed {
			return r.thrown(r.check(), box(r.guest.call(fnException)), toolscript.Executing)
		}
		r.watch.due()
		if err := r.check(); err != nil {
			return err
		}
	}
	return r.check()
}

// wait waits for one thing that the script waits for, and passes it on.
func (r *run) wait() error {
	var timer, deadline <-chan time.Time
	if !r.timers.empty() {
		timer = time.After(time.Until(r.timers.next()))
	}
	if !r.watch.deadline.IsZero() {
		deadline = time.After(time.Until(r.watch.deadline))
	}
	select {
	case answer, open := <-r.host.Answers():
		if !open {
			return errCancelled
		}
		return r.deliver(answer)
	case <-timer:
		return r.enter(r.guest.entries.fire, r.integer(r.timers.pop()))
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
	id, err := strconv.Atoi(a.CallID)
	if _, known := r.calls[id]; err != nil || !known {
		return nil
	}
	delete(r.calls, id)
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

func (r *run) feed(a Answer) error {
	if r.input.ended {
		return nil
	}
	text := r.input.take(a.Stdin, a.StdinEOF)
	if err := r.enter(r.guest.entries.feed, r.guest.newString(text)); err != nil || !a.StdinEOF {
		return err
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

// check says why the run cannot go on: its guest is dead, or a limit was met.
func (r *run) check() error {
	if r.guest.err != nil && (r.watch.reason == nil || errors.Is(r.guest.err, errExit)) {
		return r.guest.err
	}
	return r.watch.reason
}

// thrown is err with the place where the script stood, or that the script threw
// when there is no err.
func (r *run) thrown(err error, reason box, phase toolscript.Phase) error {
	if err == nil {
		return &thrown{reason, phase}
	}
	if r.guest.err != nil {
		return err
	}
	return &stopped{err, reason}
}

// stopped is a limit that was met while the script was running.
type stopped struct {
	error
	reason box // the exception in which the script ended
}

func (s *stopped) Unwrap() error { return s.error }

// interrupt implements hooks.
func (r *run) interrupt(outOfFuel bool) bool {
	if outOfFuel {
		return r.watch.overdue()
	}
	return r.watch.due()
}

// zoneOffset implements hooks.
func (r *run) zoneOffset(unix int64) int {
	_, offset := time.Unix(unix, 0).In(r.zone).Zone()
	return offset
}

// rejected implements hooks.
func (r *run) rejected(promise, reason box, handled bool) {
	if !handled {
		r.unheard = append(r.unheard, rejection{promise, reason})
		return
	}
	address := r.guest.call(fnValuePointer, uint64(promise))
	for i, u := range r.unheard {
		if r.guest.call(fnValuePointer, uint64(u.promise)) == address {
			r.guest.free(u.promise, u.reason)
			r.unheard = append(r.unheard[:i], r.unheard[i+1:]...)
			break
		}
	}
	r.guest.free(promise, reason)
}

// firstUnheard is an error when a promise was rejected and nobody has listened
// by the time all jobs have run.
func (r *run) firstUnheard() error {
	if len(r.unheard) == 0 {
		return nil
	}
	return &thrown{r.unheard[0].reason, toolscript.Executing}
}
