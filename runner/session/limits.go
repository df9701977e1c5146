package session

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// overrun returns the error for the limit that the process exceeds, or nil.
func (s *Session) overrun() *toolscript.RunError {
	if limit := milliseconds(s.job.Limits.CPUMs); limit > 0 && runner.CPUTime(s.process.PID())-s.cpu > limit+s.options.LimitGrace {
		return s.TimedOut()
	}
	return s.options.Overrun()
}

// TimedOut returns the error for a script that exceeded its limit of wall time or, if that is
// not over, of processor time.
func (s *Session) TimedOut() *toolscript.RunError {
	if s.WallOver() {
		return scripterror.OutOfTime(s.job.Limits)
	}
	return scripterror.OutOfCPU(s.job.Limits)
}

// Cancelled returns the error for a run whose context has ended, perhaps because its time is
// over.
func (s *Session) Cancelled(ctx context.Context) *toolscript.RunError {
	if s.WallOver() {
		return scripterror.OutOfTime(s.job.Limits)
	}
	return toolscript.Fail(toolscript.Cancelled, fmt.Sprintf("the run was cancelled: %v", context.Cause(ctx)))
}

// WallOver reports whether the limit of wall time is over.
func (s *Session) WallOver() bool { return s.job.Limits.TimeoutMs > 0 && s.wallLeft() <= 0 }

// wallLeft returns the time left until the limit of wall time. It is negative after the limit.
func (s *Session) wallLeft() time.Duration {
	return milliseconds(s.job.Limits.TimeoutMs) - s.job.Clock.Since(s.begun)
}

// WallLeft returns the time left until the limit of wall time. bounded is false if there is no limit.
func (s *Session) WallLeft() (left time.Duration, bounded bool) {
	return s.wallLeft(), s.job.Limits.TimeoutMs > 0
}

// WallTimer returns a timer that fires when the limit of wall time and LimitGrace are over.
// It ignores stops of the clock. Without a limit it never fires.
func (s *Session) WallTimer() *time.Timer {
	limit := milliseconds(s.job.Limits.TimeoutMs)
	if limit <= 0 {
		limit = 100 * 365 * 24 * time.Hour
	}
	return time.NewTimer(limit + s.options.LimitGrace)
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// Outcome returns the outcome of a run that ended with an error.
func (s *Session) Outcome(e *toolscript.RunError) runner.Outcome {
	e.ScriptID = s.job.RunID
	if e.Phase == "" {
		e.Phase = toolscript.Executing
	}
	return runner.Outcome{Err: e, ExitCode: 1, Metrics: runner.Metrics{RunMs: float64(s.Elapsed()) / float64(time.Millisecond)}}
}

// Elapsed returns the time since the session began.
func (s *Session) Elapsed() time.Duration { return time.Since(s.begun) }

// CPU returns the processor time that the process had used when the session began.
func (s *Session) CPU() time.Duration { return s.cpu }
