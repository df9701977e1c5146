package session

import (
	"context"

	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
)

// CancelCall cancels a call for its script. It ignores a call that has ended: its answer and
// the cancellation may have crossed.
func (s *Session) CancelCall(callID string) { s.cancelCall(callID, runner.ErrCallCancelled) }

func (s *Session) cancelCall(callID string, cause error) {
	defer rescue.Catch(s.panicked("cancel a call", s.Fail))
	s.host.Cancel(callID, cause)
}

// cancelCalls cancels the calls in flight at the end of the run.
func (s *Session) cancelCalls() {
	defer rescue.Catch(s.panicked("cancel the calls", s.Fail))
	s.host.CancelAll(context.Cause(s.ctx))
}

// Stop cancels the calls of the run and the read of standard input.
func (s *Session) Stop() { s.cancel() }
