package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// run is one job on a fresh instance. It belongs to the goroutine that owns the VM.
type run struct {
	instance *instance
	memory   memory
	job      runner.Job
	host     Host
	watch    *watch
	names    *naming.Table
	source   *scripterror.Source
	zone     *time.Location

	heapLimit           uint64           // bytes
	calls               map[int]struct{} // in flight
	completed           int              // calls that were answered
	timers              timers
	input               input
	unhandledRejections unhandledRejections
	value               json.RawMessage // of a script whose value is plain
	exitCode            int
}

func newRun(ctx context.Context, v *VM, job runner.Job, host Host) *run {
	v.names = naming.NewTable(job.Names, job.Allow, v.names)
	v.zone.load(job.TZ)
	heap := uint64(defaultHeap)
	if mb := job.Limits.MemoryMB; mb > 0 {
		heap = uint64(mb) << 20
	}
	return &run{
		instance: v.instance, memory: v.memory, job: job, host: host, names: v.names, zone: v.zone.location,
		watch:     newWatch(ctx, job),
		source:    scripterror.NewSource(job),
		heapLimit: min(heap, maxHeap),
		calls:     map[int]struct{}{},
		input:     input{ended: !job.Stdin},
	}
}

// thrown is an uncaught JavaScript value.
type thrown struct {
	reason handle
	phase  toolscript.Phase
}

func (*thrown) Error() string { return "the script threw" }

var (
	errExit         = errors.New("the script called exit")
	errNeverSettled = errors.New("the script's top-level await never settled")
)

// do runs the job and returns its value as JSON, nil for undefined.
func (r *run) do() (json.RawMessage, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	loading, bad := r.instance.eval(r.job.Compiled.JavaScript, r.source.Name, evalModule)
	if err := r.check(); err != nil || bad {
		return nil, r.thrown(err, loading, toolscript.Parsing)
	}
	namespace, err := r.await(loading, toolscript.Executing)
	if err != nil {
		return nil, err
	}
	finishing, bad := r.instance.invoke(r.instance.entries.finish, namespace)
	if err := r.check(); err != nil || bad {
		return nil, r.thrown(err, finishing, toolscript.Finalizing)
	}
	text, err := r.await(finishing, toolscript.Finalizing)
	if err != nil {
		return nil, err
	}
	if r.value == nil {
		if r.value, err = r.take(text); err != nil {
			return nil, err
		}
	}
	return r.value, r.runRemainingTimers()
}

// begin sets the limits of the job in the instance, and the values that its script may
// read.
func (r *run) begin() error {
	stack := uint64(largestStack)
	if kb := r.job.Limits.StackKB; kb > 0 {
		stack = min(stack, uint64(kb)<<10)
	}
	r.memory.setLimit(r.heapLimit + hostMemory)
	r.instance.call(fnSetMemoryLimit, r.heapLimit)
	r.instance.call(fnSetStackSize, stack)
	about, err := json.Marshal(map[string]any{"args": append([]string{}, r.job.Args...), "cwd": r.job.Cwd, "env": r.job.Env})
	if err != nil {
		return err
	}
	result, bad := r.instance.invoke(r.instance.entries.begin, r.instance.newString(string(about)))
	if err := r.check(); err != nil || bad {
		return r.thrown(err, result, toolscript.Executing)
	}
	r.instance.free(result)
	return nil
}

// check returns why the run cannot continue: its instance is dead, or a limit was
// reached.
func (r *run) check() error {
	if r.instance.err != nil && (r.watch.reason == nil || errors.Is(r.instance.err, errExit)) {
		return r.instance.err
	}
	return r.watch.reason
}

// thrown returns err with the place where the script stopped, or, without err, that
// the script threw.
func (r *run) thrown(err error, reason handle, phase toolscript.Phase) error {
	if err == nil {
		return &thrown{reason, phase}
	}
	if r.instance.err != nil {
		return err
	}
	if r.instance.call(fnPromiseState, uint64(reason)) == promiseRejected { // a stopped module or async function
		reason = handle(r.instance.call(fnPromiseResult, uint64(reason)))
	}
	return &stopped{err, reason}
}

// stopped is a limit that was reached while the script ran.
type stopped struct {
	error
	reason handle // the exception that ended the script
}

func (s *stopped) Unwrap() error { return s.error }
