package runs

import (
	"errors"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Cancel implements runner.Host. It does not cancel tasks when their script ends.
func (s *calls) Cancel(callID string, cause error) {
	s.mu.Lock()
	c := s.inFlight[callID]
	if c == nil || c.Task && !errors.Is(cause, runner.ErrCallCancelled) {
		s.mu.Unlock()
		if c != nil {
			s.deliver(c, runner.Answer{Failure: toolError(c.tool, c.ID, errAborted)})
		}
		return
	}
	then := s.cancel(c, cause)
	s.mu.Unlock()
	then()
}

// CancelAll implements runner.Host. It cancels the newest call first: a call that waits for the
// end of an earlier one must not start.
func (s *calls) CancelAll(cause error) {
	s.mu.Lock()
	ids := idsInOrder(s.inFlight)
	s.mu.Unlock()
	for _, id := range slices.Backward(ids) {
		s.Cancel(id, cause)
	}
}

// cancel cancels a call. The caller holds mu, and calls then after releasing it.
func (s *calls) cancel(c *runCall, cause error) (then func()) {
	if c.cause == nil {
		c.cause = cause
	}
	if stop := c.stop; stop != nil {
		return func() { stop(cause) }
	}
	if c.started { // follow cancels it
		return func() {}
	}
	s.close(c, ending{toolscript.Cancelled, toolscript.SentNo}, 0)
	settled := s.over && len(s.inFlight) == 0
	return func() {
		err := errAborted
		if errors.Is(cause, runner.ErrCallCancelled) {
			err = &toolscript.Error{Kind: toolscript.Cancelled, Err: runner.ErrCallCancelled}
		}
		s.deliver(c, runner.Answer{Failure: toolError(c.tool, c.ID, notMade(err))})
		if settled {
			s.settled()
		}
	}
}

// cancelSome cancels the calls in flight for which why returns a cause. It holds mu while it
// calls why. It returns the number of calls that were in flight.
func (s *calls) cancelSome(why func(*runCall) error) int {
	s.mu.Lock()
	n := len(s.inFlight)
	var then []func()
	for _, id := range idsInOrder(s.inFlight) {
		if cause := why(s.inFlight[id]); cause != nil {
			then = append(then, s.cancel(s.inFlight[id], cause))
		}
	}
	s.mu.Unlock()
	for _, f := range then {
		f()
	}
	return n
}
