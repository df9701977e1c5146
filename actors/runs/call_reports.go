package runs

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/runner"
)

// idle reports whether no call is in flight.
func (s *calls) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inFlight) == 0
}

// snapshot returns the records as they are now.
func (s *calls) snapshot() []toolscript.CallRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]toolscript.CallRecord{}, s.records...)
}

// note returns the record of a call, and creates it if there is none. The caller holds mu.
func (s *calls) note(c *runCall) *toolscript.CallRecord {
	if c.record < 0 {
		c.record = len(s.records)
		s.records = append(s.records, toolscript.CallRecord{CallID: c.CallID, Tool: c.ID, Task: c.Task, StartMs: ms(c.asked.Sub(s.startedAt))})
	}
	return &s.records[c.record]
}

// times are the points in time and the waits of a call.
type times struct {
	asked     time.Time         // when the script made it
	begun     time.Time         // zero before its event
	connected time.Duration     // wait for the connection of the server, after begun
	origin    toolscript.Origin // records the later waits
}

// waits returns the waits of a call that has ended.
func (t *times) waits() toolscript.Waits {
	all := t.origin.Waits()
	if !t.begun.IsZero() {
		all.QueuedMs = ms(t.begun.Sub(t.asked))
	}
	all.SlotMs += ms(t.connected)
	return all
}

// explain records why a question of the server was refused, and adds the reason of the failure to the record of the
// call. It omits a reason that the gateway found in the call itself, which may quote the arguments. The caller holds
// mu.
func (s *calls) explain(c *runCall, failure *toolscript.ToolError) {
	if why := c.origin.Refused(); why != "" {
		if text := c.ID + ": its server has asked a question, which was refused: " + why; len(s.refused) < maxNotices && !slices.Contains(s.refused, text) {
			s.refused = append(s.refused, text)
		}
	}
	if failure == nil || c.record < 0 || s.deps.Reason == nil || failure.Code == toolscript.Invalid || failure.Code == toolscript.NotFound {
		return
	}
	server := c.tool.Server
	if server == "" { // the server was not connected when the call began
		server = failure.Server
	}
	s.records[c.record].Error = s.deps.Reason(server, failure.Message)
}

var yes, no = true, false

// okay returns a pointer to true if kind is "" (success), else a pointer to false. The values must not be changed.
func okay(kind toolscript.Kind) *bool {
	if kind == "" {
		return &yes
	}
	return &no
}

// leave records a call that the end of the script cancels. The caller holds mu.
func (s *calls) leave(c *runCall) {
	s.unfinished = append(s.unfinished, toolscript.UnfinishedCall{CallID: c.CallID, Tool: c.ID, Printed: c.origin.Printed()})
}

// unfinishedWith returns the calls that the end of the script has cancelled, including
// detached calls that have not ended yet, in the order in which the script made them.
func (s *calls) unfinishedWith(detached []toolscript.DetachedCall) []toolscript.UnfinishedCall {
	s.mu.Lock()
	all := slices.Clone(s.unfinished)
	s.mu.Unlock()
	for _, d := range detached {
		known := func(c toolscript.UnfinishedCall) bool { return c.CallID == d.CallID && c.Run == "" }
		if !d.Task && !slices.ContainsFunc(all, known) {
			all = append(all, toolscript.UnfinishedCall{CallID: d.CallID, Tool: d.Tool})
		}
	}
	slices.SortStableFunc(all, func(a, b toolscript.UnfinishedCall) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), inCallOrder(a.CallID, b.CallID))
	})
	return all
}

// nested adds the calls that the end of a nested run has cancelled.
func (s *calls) nested(run string, calls []toolscript.UnfinishedCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range calls {
		c.Run = cmp.Or(c.Run, run)
		s.unfinished = append(s.unfinished, c)
	}
}

// refusals returns the notices about questions of servers that were refused.
func (s *calls) refusals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// counts returns the numbers of admitted, completed and not completed calls.
func (s *calls) counts() (admitted, completed, pending int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.admitted, s.completed, s.admitted - s.completed
}

// progressEvery is the shortest time between two progress events of a call. A server
// may send any number of notifications.
const progressEvery = 250 * time.Millisecond

// progress emits the progress of a call. It does not block, because the connection of the
// server calls it.
func (s *calls) progress(c *runCall, p toolscript.Progress) {
	s.mu.Lock()
	now := time.Now()
	soon := !c.shown.IsZero() && now.Sub(c.shown) < progressEvery
	if !soon {
		c.shown = now
	}
	s.mu.Unlock()
	if soon {
		return
	}
	mailbox.Go(func() {
		s.events.emit(toolscript.Event{Type: toolscript.EventProgress, CallID: c.CallID, Tool: c.ID, Message: p.String()})
	}, func(error) {}) // emit recovers panics of the client's code
}

// begin returns the start event of a call.
func (s *calls) begin(c *runCall) toolscript.Event {
	return toolscript.Event{Type: toolscript.EventCall, CallID: c.CallID, Tool: c.ID}
}

func (s *calls) request(c *runCall, id string) toolscript.Call {
	left := s.left
	if c.Task { // it may outlive the script
		left = nil
	}
	return toolscript.Call{
		ID: id, Args: c.Args, Key: c.Key, Wait: toolscript.ConnectWait, Run: s.id, Trace: s.parts.request.Trace, CallID: c.CallID, Left: left, Ask: c.asking.ask, Origin: &c.origin, Queued: time.Since(c.asked),
		Progress: func(p toolscript.Progress) { s.progress(c, p) },
	}
}

// close removes a call from the calls in flight. The caller holds mu.
func (s *calls) close(c *runCall, how ending, took float64) {
	if s.inFlight[c.CallID] != c {
		return
	}
	delete(s.inFlight, c.CallID)
	if c.kept {
		s.shared.tasks.release(len(c.Args))
	}
	if c.record >= 0 {
		r := &s.records[c.record]
		r.OK, r.Kind, r.Sent, r.Ms, r.Waits = okay(how.kind), how.kind, how.sent, took, c.waits()
	}
	if how.kind != "" && !c.Task && c.turn == nil && (c.cause != nil || s.ctx.Err() != nil) && !c.cancelledByScript() {
		s.leave(c)
	}
}

// cancelledByScript reports whether the script cancelled the call. The caller holds calls.mu.
func (c *runCall) cancelledByScript() bool { return errors.Is(c.cause, runner.ErrCallCancelled) }
