package actors

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/catalog"
)

// begun publishes the start of a call and gives it an Origin, which records its waits.
func (s *System) begun(call *toolscript.Call) {
	if call.Origin == nil {
		call.Origin = new(toolscript.Origin)
	}
	if s.options.Feed.On() {
		s.name(call)
		id, owner := loggable(s.current(), call.ID)
		s.options.Feed.Call(s.entry(call, id, owner, toolscript.CallRunning, time.Now()))
	}
	s.search.Busy()
}

// name gives an id to a call without an id.
func (s *System) name(call *toolscript.Call) {
	if call.CallID == "" && call.RequestID == "" {
		call.CallID = "call_" + strconv.FormatUint(s.direct.Add(1), 10)
	}
}

// ended counts, audits, logs and publishes the end of a call. It returns the outcome of the
// call.
func (s *System) ended(view catalog.View, call toolscript.Call, took time.Duration, result json.RawMessage, err error) (outcome string) {
	outcome, why := outcomeOf(result, err)
	id, owner := loggable(view, call.ID)
	s.countCall(id, owner, outcome, len(result))
	if s.options.Audit != nil {
		s.options.Audit.Call(audit.Ended{Call: call, Tool: id, Took: took, Result: result, Outcome: outcome, Sent: sentOf(outcome, err), Error: s.Redact(owner, why)})
	}
	if s.options.Feed.On() {
		s.name(&call)
		entry := s.entry(&call, id, owner, toolscript.CallEnded, time.Now().Add(-took))
		entry.Outcome, entry.Sent, entry.Error, entry.ResultBytes, entry.Host = outcome, sentOf(outcome, err), s.Redact(owner, why), len(result), call.Origin.Host()
		entry.Ms = float64(took.Microseconds()) / 1000
		s.options.Feed.Call(entry)
	}
	s.logCall(call, id, owner, outcome, sentOf(outcome, err), why, took)
	return outcome
}

// entry returns the entry of a call for the feed.
func (s *System) entry(call *toolscript.Call, id, owner, state string, since time.Time) toolscript.CallEntry {
	entry := toolscript.CallEntry{
		Run: call.Run, CallID: call.CallID, RequestID: call.RequestID, Server: owner, Tool: id, Since: since, State: state, ArgsBytes: len(call.Args),
	}
	if s.options.Feed.Arguments() {
		entry.Args = s.shownArgs(owner, call.Args)
	}
	return entry
}
