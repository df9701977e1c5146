package quickjs

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

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
		calls:     pendingCalls{keep: map[int]pendingCall{}},
		input:     input{ended: !job.Stdin},
	}
}

// begin sets the limits of the job and the values that its script may read.
func (r *run) begin() error {
	stack := uint64(largestStack)
	if kb := r.job.Limits.StackKB; kb > 0 {
		stack = min(stack, uint64(kb)<<10)
	}
	r.memory.setLimit(r.heapLimit + hostMemory)
	r.instance.call(fnSetMemoryLimit, r.heapLimit)
	r.instance.call(fnSetStackSize, stack)
	about, err := json.Marshal(map[string]any{"args": append([]string{}, r.job.Args...), "cwd": r.job.Cwd, "env": r.job.Env, "answer": r.job.Answer, "given": r.given()})
	if err != nil {
		return err
	}
	return r.enter(r.instance.entries.begin, r.instance.newString(string(about)))
}
