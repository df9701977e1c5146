package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
	"github.com/toolscript/toolscript/runner/session"
)

const (
	// killGrace is how far a script may exceed its limit before its worker is killed. Usually
	// the worker ends the script earlier, and survives.
	killGrace = 300 * time.Millisecond
	// cancelGrace is how long a script may continue after its run was cancelled.
	cancelGrace = 100 * time.Millisecond
	// limitPoll is the interval at which the processor time and the memory of a worker are read.
	limitPoll = 100 * time.Millisecond
)

// kill kills the worker and returns the outcome of the run.
func (r *sandboxRun) kill(e *toolscript.RunError) (runner.Outcome, error) {
	r.sandbox.Kill()
	<-r.sandbox.done
	return r.Outcome(e), ErrKilled
}

// exitOverrun is the exit code of a worker that was ended by its own watchdog.
const exitOverrun = 3

// lost kills the worker and returns the outcome of a run whose worker has ended or broke the
// protocol, or in which the gateway failed.
func (r *sandboxRun) lost(cause error) (runner.Outcome, error) {
	s := r.sandbox
	err := cause
	switch {
	case errors.Is(cause, session.ErrPanic):
	case errors.Is(cause, runner.ErrNotBegun):
		err = fmt.Errorf("%w%s", runner.ErrNotBegun, s.exitReason())
	case s.ended(), errors.Is(cause, io.EOF): // io.EOF: the worker is ending
		err = fmt.Errorf("the sandbox ended in the middle of the script%s", s.exitReason())
	default:
		err = fmt.Errorf("the sandbox broke the protocol: %w", cause)
	}
	s.Kill()
	<-s.done
	if s.cmd.ProcessState.ExitCode() == exitOverrun {
		return r.Outcome(r.TimedOut()), ErrKilled
	}
	gone := &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
	if errors.Is(cause, runner.ErrNotBegun) {
		return runner.Outcome{}, gone
	}
	return r.Outcome(&toolscript.RunError{Name: "InternalError", Code: toolscript.Internal, Message: err.Error()}), gone
}

// unreadJob wraps the error of the first read in ErrNotBegun if the worker ended before it read its job.
func (s *Sandbox) unreadJob(err error) error {
	if (errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed)) && s.ended() && s.unread {
		return fmt.Errorf("%w: %w", runner.ErrNotBegun, err)
	}
	return err
}

// killUnread kills a worker that has not read its job when the time of the run is over, or when ctx ends.
func (r *sandboxRun) killUnread(ctx context.Context, sent <-chan struct{}) {
	wall := r.WallTimer()
	defer wall.Stop()
	select {
	case <-sent:
		return
	case <-wall.C:
	case <-ctx.Done():
		select {
		case <-sent:
			return
		case <-time.After(cancelGrace):
		}
	}
	r.sandbox.Kill()
}

// maxMemory bounds the memory of a worker. The heap of the script has its own limit; answers
// that the script has not taken come on top. A script that awaits its calls holds at most as
// many answers as it has calls in flight.
const maxMemory = 1 << 30

// overrun returns an error if the worker holds too much memory.
func (r *sandboxRun) overrun() *toolscript.RunError {
	if runner.RSS(r.sandbox.PID()) > maxMemory {
		return scripterror.AnswersWait(maxMemory)
	}
	return nil
}
