package execution

import "github.com/toolscript/toolscript"

// waiting returns Call.Waiting of a call: while a person decides, the clock of the run
// stands still, and another call has the turn.
func (s *calls) waiting(c *call) func(toolscript.Approval) func() {
	return func(a toolscript.Approval) (resume func()) {
		release := s.questions.clock.Hold()
		s.turn(+1)
		s.startNext()
		s.events.emit(toolscript.Event{Type: toolscript.EventApproval, CallID: c.CallID, Tool: c.ID, Approval: &a})
		return func() {
			s.turn(-1) // below zero, the next call waits for the end of another
			release()
		}
	}
}

func (s *calls) turn(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n
}
