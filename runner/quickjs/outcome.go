package quickjs

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// broken returns the outcome of a job whose VM does not work.
func broken(job runner.Job, err error) runner.Outcome {
	return runner.Outcome{ExitCode: 1, Err: &toolscript.RunError{
		Name: "InternalError", Code: toolscript.Internal, Message: fmt.Sprintf("the script's engine failed: %v", err),
		Phase: toolscript.Executing, ScriptID: job.RunID,
	}}
}

// outcome returns the outcome of the run. It is the last use of the instance.
func (r *run) outcome(value json.RawMessage, err error) runner.Outcome {
	cpu := r.watch.cpu()
	out := runner.Outcome{Value: value, Notices: r.notices}
	switch {
	case errors.Is(err, errExit):
		out = runner.Outcome{Exited: true, ExitCode: r.exitCode}
	case err != nil:
		out = runner.Outcome{Err: r.runError(err), ExitCode: 1}
	}
	out.Metrics = runner.Metrics{RunMs: milliseconds(r.watch.elapsed()), CPUMs: milliseconds(cpu), MemoryBytes: int64(r.instance.heapSize())}
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// take returns the value of the script from a JavaScript string of JSON.
func (r *run) take(text handle) (json.RawMessage, error) {
	data, release := r.instance.utf8(text)
	defer release()
	if err := r.check(); err != nil || data == nil {
		return nil, err
	}
	if limit := r.job.Limits.ValueBytes; limit > 0 && int64(len(data)) > limit {
		return nil, &valueTooLarge{len(data), limit}
	}
	return append(json.RawMessage{}, data...), nil
}

type valueTooLarge struct {
	size  int
	limit int64
}

func (*valueTooLarge) Error() string { return "the script's value is too large" }

// runError converts the error of the run.
func (r *run) runError(err error) *toolscript.RunError {
	e := r.classify(err)
	e.ScriptID = r.job.RunID
	if e.Phase == "" {
		e.Phase = toolscript.Executing
	}
	return e
}

func (r *run) classify(err error) *toolscript.RunError {
	var threw *thrown
	var halted *stopped
	var large *valueTooLarge
	switch {
	case errors.As(err, &threw):
		e := r.describe(threw.reason, threw.phase)
		if r.watch.reason != nil { // a limit stopped code of the script that describes its error
			return r.limit(r.watch.reason)
		}
		return e
	case errors.As(err, &halted):
		r.watch.extend()
		e := r.limit(halted.error)
		where := r.describe(halted.reason, e.Phase)
		e.Stack, e.Excerpt = where.Stack, where.Excerpt
		return e
	case errors.As(err, &large):
		return scripterror.ValueTooLarge(large.size, large.limit)
	}
	return r.limit(err)
}

// limit returns the error of a run that did not end by itself.
func (r *run) limit(err error) *toolscript.RunError {
	var e *toolscript.RunError
	switch {
	case errors.Is(err, errTimeout):
		e = scripterror.OutOfTime(r.job.Limits)
	case errors.Is(err, errCPU):
		e = scripterror.OutOfCPU(r.job.Limits)
	case errors.Is(err, errCancelled):
		e = toolscript.Fail(toolscript.Cancelled, err.Error())
	case errors.Is(err, errNoMemory):
		e = scripterror.OutOfMemory(r.heapLimit)
	case errors.Is(err, errNeverSettled):
		return scripterror.NeverSettled()
	default:
		e = toolscript.Fail(toolscript.Internal, fmt.Sprintf("the script's engine failed: %v", err))
	}
	e.Metadata = map[string]any{"elapsedMs": milliseconds(r.watch.elapsed()), "pendingTools": len(r.calls.keep), "completedTools": r.completed}
	return e
}

// describe describes an exception of the script. Reading the name and message of an error can
// run code of the script, so the time limits stay active. Heap and stack get extra room,
// because their limits may have ended the script.
func (r *run) describe(reason handle, phase toolscript.Phase) *toolscript.RunError {
	r.instance.call(fnSetMemoryLimit, 0)
	r.instance.call(fnSetStackSize, largestStack)
	described, bad := r.instance.invoke(r.instance.entries.describe, reason)
	if bad || r.instance.err != nil {
		return r.source.Thrown("", phase, r.heapLimit)
	}
	return r.source.Thrown(r.instance.text(described), phase, r.heapLimit)
}

// tooLarge returns the error for an answer that does not fit into the VM.
func tooLarge(size int) *toolscript.ToolError {
	return &toolscript.ToolError{
		Code:    toolscript.TooLarge,
		Sent:    toolscript.SentYes,
		Message: fmt.Sprintf("the tool's answer of %d bytes does not fit into the script's memory; ask for less, or raise --memory", size),
	}
}
