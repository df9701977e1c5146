package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

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

// cancelCalls cancels the calls in flight at the end of the run, the newest first: a call that
// waits for the end of an earlier one must not start.
func (s *Session) cancelCalls() {
	s.mu.Lock()
	ids := make([]string, 0, len(s.calls))
	for id := range s.calls {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) }) // numbers
	for _, id := range ids {
		s.cancelCall(id, context.Cause(s.ctx))
	}
}
