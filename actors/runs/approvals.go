package runs

import (
	"slices"

	"github.com/toolscript/toolscript"
)

// waiting returns the Call.Waiting of a call. While a person decides, the clock of the run stands still, and the
// call's turn passes to another call. After an approval, the call waits for a turn again, so that the run never has
// more calls in progress than it allows.
func (s *calls) waiting(c *runCall, ended <-chan struct{}) func() (func(toolscript.Approval), func(bool)) {
	return func() (asked func(toolscript.Approval), resume func(allowed bool)) {
		release := s.questions.clock.Hold()
		s.giveTurn()
		s.startNext()
		asked = func(a toolscript.Approval) {
			s.events.emit(toolscript.Event{Type: toolscript.EventApproval, CallID: c.CallID, Tool: c.ID, Approval: &a})
		}
		return asked, func(allowed bool) {
			release()
			s.takeTurn(allowed, ended)
		}
	}
}

// giveTurn passes a turn to an approved call, else to the queue.
func (s *calls) giveTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.free > 0 && len(s.approved) > 0 {
		s.free--
		close(s.approved[0])
		s.approved = s.approved[1:]
	}
}

// takeTurn waits for a turn. A call that was denied takes a turn without waiting, because the end of each call gives
// one back. The number of free turns may then be below zero.
func (s *calls) takeTurn(wait bool, ended <-chan struct{}) {
	s.mu.Lock()
	if !wait || s.free > 0 {
		s.free--
		s.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	s.approved = append(s.approved, turn)
	s.mu.Unlock()
	select {
	case <-turn:
	case <-ended:
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := slices.Index(s.approved, turn); i >= 0 { // otherwise the call has got a turn
			s.approved = slices.Delete(s.approved, i, i+1)
			s.free--
		}
	}
}
