package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// Run runs a job until it ends, reaches a limit or ctx ends. The caller must then cancel the
// calls in flight. Run first resets the VM if it is not fresh.
//
// If a limit is zero, MemoryMB is 96 and StackKB is 512, which is also its maximum; other
// limits do not apply. Run applies ToolCalls only to the calls in flight, because the host
// counts calls.
func (v *VM) Run(ctx context.Context, job runner.Job, host Host) runner.Outcome {
	if err := v.Reset(ctx); err != nil {
		return broken(job, err)
	}
	v.fresh = false
	r := newRun(ctx, v, job, host)
	v.freshen(r.watch.start)
	v.instance.run = r
	defer func() { v.instance.run = nil }()
	return r.outcome(r.do())
}

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
	assumed  *int // offset of all times in seconds; nil: use zone

	heapLimit           uint64 // limit in bytes
	calls               pendingCalls
	ended               []frame   // where the call began that has just ended
	graceEnds           time.Time // of the calls in a model's answer; zero before the script ends
	leftOver            leftOver  // timers after the end of the script
	notices             []string
	completed           int // number of calls that were answered
	timers              timers
	input               input
	unhandledRejections unhandledRejections
	conversion          *conversion // the last conversion
	encoders            encoders
	value               json.RawMessage // value of the script, if plainJSON encoded it
	exitCode            int
}

// do runs the job and returns its value as JSON, nil for undefined. It reads the value after
// everything has settled, because code that is not awaited may still change it.
func (r *run) do() (json.RawMessage, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	loading, bad := r.instance.eval(r.job.Compiled.JavaScript, r.source.Name, evalModule)
	if err := r.check(); err != nil || bad {
		return nil, r.thrown(err, loading, toolscript.Parsing)
	}
	namespace, err := r.loaded(loading)
	if err != nil {
		return nil, err
	}
	r.leftOver.begin(r.watch, namespace)
	if err := r.settle(); err != nil {
		return nil, err
	}
	finishing, bad := r.instance.invoke(r.instance.entries.finish, r.instance.duplicate(namespace))
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
	return r.value, r.settle() // reading the value may have begun calls: toJSON is code of the script
}

// check returns the reason why the run cannot continue, or nil: its instance is dead or a
// limit was reached.
func (r *run) check() error {
	if r.instance.err != nil && (r.watch.reason == nil || errors.Is(r.instance.err, errExit)) {
		return r.instance.err
	}
	return r.watch.reason
}
