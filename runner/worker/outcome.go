package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/guard"
)

// exitOverrun is the exit code of a worker whose own watchdog ended it.
const exitOverrun = 3

// outcome is the end of a run that the gateway saw end, with what it knows of
// the run's measures.
func (r *run) outcome(e *toolscript.RunError) runner.Outcome {
	e.Phase, e.ScriptID = toolscript.Executing, r.job.RunID
	return runner.Outcome{Err: e, ExitCode: 1, Metrics: runner.Metrics{
		RunMs: float64(time.Since(r.begun)) / float64(time.Millisecond),
	}}
}

// timedOut is the error of a script that was killed at one of its limits.
func (r *run) timedOut() *toolscript.RunError {
	limits := r.job.Limits
	message := fmt.Sprintf("the script used more CPU time than its limit of %s and was killed; allow more with --cpu", milliseconds(limits.CPUMs))
	if limits.TimeoutMs > 0 && r.job.Clock.Since(r.begun) >= milliseconds(limits.TimeoutMs) {
		message = fmt.Sprintf("the script ran longer than its limit of %s and was killed; allow more with --timeout", milliseconds(limits.TimeoutMs))
	}
	return toolscript.Fail(toolscript.LimitTime, message)
}

// cancelled is the error of a script that did not end when it was cancelled,
// which may have been because its time was up.
func (r *run) cancelled(ctx context.Context) *toolscript.RunError {
	limit := milliseconds(r.job.Limits.TimeoutMs)
	if limit > 0 && r.job.Clock.Since(r.begun) >= limit {
		return r.timedOut()
	}
	return toolscript.Fail(toolscript.Cancelled, fmt.Sprintf("the run was cancelled: %v", context.Cause(ctx)))
}

// tooLong is the error of a job that no worker can be given.
func (r *run) tooLong(err error) *toolscript.RunError {
	return toolscript.Fail(toolscript.TooLarge, fmt.Sprintf("the script and its arguments are too long: %v", err))
}

// lost ends a run whose worker has ended, or talks nonsense, or met a fault of
// ours.
func (r *run) lost(cause error) (runner.Outcome, error) {
	s := r.sandbox
	err := cause
	switch {
	case errors.Is(cause, guard.ErrPanic):
	case s.ended():
		err = fmt.Errorf("the sandbox ended in the middle of the script%s", s.lastWords())
	default:
		err = fmt.Errorf("the sandbox broke the protocol: %w", cause)
	}
	s.Kill()
	<-s.done
	if s.cmd.ProcessState.ExitCode() == exitOverrun {
		return r.outcome(r.timedOut()), ErrKilled
	}
	return r.outcome(&toolscript.RunError{Name: "InternalError", Code: toolscript.Internal, Message: err.Error()}),
		&toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}
