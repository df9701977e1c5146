package session

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// Wait waits for the end of the run. It returns the outcome that the sandbox
// reported, or the reason why the session must stop the run, or the error of Fail.
func (s *Session) Wait(ctx context.Context) (runner.Outcome, *toolscript.RunError, error) {
	wall := s.WallTimer()
	defer wall.Stop()
	poll := time.NewTicker(s.options.Poll)
	defer poll.Stop()
	stop, cancelled := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case outcome := <-s.ended:
			return outcome, nil, nil
		case err := <-s.failed:
			return runner.Outcome{}, nil, err
		case <-stop:
			if s.options.Cancel == nil {
				return runner.Outcome{}, s.Cancelled(ctx), nil
			}
			stop, cancelled = nil, time.After(s.options.CancelGrace)
			s.Go(s.options.Cancel) // the process may not read: Cancel can block
		case <-cancelled:
			return runner.Outcome{}, s.Cancelled(ctx), nil
		case <-wall.C:
			if left := s.wallLeft() + s.options.LimitGrace; left > 0 { // the clock stood still meanwhile
				wall.Reset(max(left, s.options.Poll))
				continue
			}
			return runner.Outcome{}, scripterror.OutOfTime(s.job.Limits), nil
		case <-poll.C:
			if e := s.overrun(); e != nil {
				return runner.Outcome{}, e, nil
			}
		}
	}
}

// overrun is the limit that the process exceeds, if any.
func (s *Session) overrun() *toolscript.RunError {
	if limit := milliseconds(s.job.Limits.CPUMs); limit > 0 && proc.CPUTime(s.process.PID())-s.cpu > limit+s.options.LimitGrace {
		return s.TimedOut()
	}
	return s.options.Overrun()
}

// TimedOut is the error of a script that exceeded a limit of time: of wall time
// when that is over, else of processor time.
func (s *Session) TimedOut() *toolscript.RunError {
	if s.WallOver() {
		return scripterror.OutOfTime(s.job.Limits)
	}
	return scripterror.OutOfCPU(s.job.Limits)
}

// Cancelled is the error of a run whose context has ended, which may be because
// its time is over.
func (s *Session) Cancelled(ctx context.Context) *toolscript.RunError {
	if s.WallOver() {
		return scripterror.OutOfTime(s.job.Limits)
	}
	return toolscript.Fail(toolscript.Cancelled, fmt.Sprintf("the run was cancelled: %v", context.Cause(ctx)))
}

// WallOver reports whether the limit of wall time is over.
func (s *Session) WallOver() bool { return s.job.Limits.TimeoutMs > 0 && s.wallLeft() <= 0 }

// wallLeft is what is left of the limit of wall time.
func (s *Session) wallLeft() time.Duration {
	return milliseconds(s.job.Limits.TimeoutMs) - s.job.Clock.Since(s.begun)
}

// WallTimer fires when the limit of wall time and LimitGrace are over, if the
// clock of the run never stood still. Without a limit it never fires.
func (s *Session) WallTimer() *time.Timer {
	limit := milliseconds(s.job.Limits.TimeoutMs)
	if limit <= 0 {
		limit = 100 * 365 * 24 * time.Hour
	}
	return time.NewTimer(limit + s.options.LimitGrace)
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
