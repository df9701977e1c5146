package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/names"
	"github.com/toolscript/toolscript/runner/report"
)

// run is one job on a fresh guest. It lives on the goroutine that owns the VM.
type run struct {
	guest  *guest
	memory memory
	job    runner.Job
	host   Host
	watch  *watch
	names  *names.Table
	source *report.Source
	zone   *time.Location

	heapLimit uint64           // bytes
	calls     map[int]struct{} // under way
	completed int              // calls that were answered
	timers    timers
	input     input
	unheard   unheard
	exitCode  int
}

func newRun(ctx context.Context, v *VM, job runner.Job, host Host) *run {
	v.names = names.For(job.Names, job.Allow, v.names)
	v.zone.load(job.TZ)
	heap := uint64(defaultHeap)
	if mb := job.Limits.MemoryMB; mb > 0 {
		heap = uint64(mb) << 20
	}
	return &run{
		guest: v.guest, memory: v.memory, job: job, host: host, names: v.names, zone: v.zone.location,
		watch:     newWatch(ctx, job),
		source:    report.NewSource(job),
		heapLimit: min(heap, v.engine.maxHeap),
		calls:     map[int]struct{}{},
		input:     input{ended: !job.Stdin},
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
	loading, bad := r.guest.eval(r.job.Compiled.JavaScript, r.source.Name, evalModule)
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
	stack := uint64(largestStack)
	if kb := r.job.Limits.StackKB; kb > 0 {
		stack = min(stack, uint64(kb)<<10)
	}
	r.memory.setLimit(r.heapLimit + hostRoom)
	r.guest.call(fnSetMemoryLimit, r.heapLimit)
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
	if r.guest.call(fnPromiseState, uint64(reason)) == promiseRejected { // a module or async function that was stopped
		reason = box(r.guest.call(fnPromiseResult, uint64(reason)))
	}
	return &stopped{err, reason}
}

// stopped is a limit that was met while the script was running.
type stopped struct {
	error
	reason box // the exception in which the script ended
}

func (s *stopped) Unwrap() error { return s.error }
