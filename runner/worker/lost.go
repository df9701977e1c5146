package worker

import (
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// kill ends the run together with its worker.
func (r *run) kill(e *toolscript.RunError) (runner.Outcome, error) {
	r.sandbox.Kill()
	<-r.sandbox.done
	return r.Outcome(e), ErrKilled
}

// exitOverrun is the exit code of a worker that its own watchdog ended.
const exitOverrun = 3

// lost ends a run whose worker has ended or broke the protocol, or in which the
// gateway failed.
func (r *run) lost(cause error) (runner.Outcome, error) {
	s := r.sandbox
	err := cause
	switch {
	case errors.Is(cause, session.ErrPanic):
	case s.ended():
		err = fmt.Errorf("the sandbox ended in the middle of the script%s", s.exitReason())
	default:
		err = fmt.Errorf("the sandbox broke the protocol: %w", cause)
	}
	s.Kill()
	<-s.done
	if s.cmd.ProcessState.ExitCode() == exitOverrun {
		return r.Outcome(r.TimedOut()), ErrKilled
	}
	return r.Outcome(&toolscript.RunError{Name: "InternalError", Code: toolscript.Internal, Message: err.Error()}),
		&toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}
