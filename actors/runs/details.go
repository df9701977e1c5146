package runs

import (
	"encoding/json"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// maxDetail bounds the arguments and the result in an event, in bytes each. Larger ones
// are left out.
const maxDetail = 128 << 10

// details adds the arguments and the answer of a call to its end event, if the dialect of the run asks for them.
func (s *calls) details(c *runCall, a runner.Answer, e toolscript.Event) toolscript.Event {
	if s.detailed() {
		s.keepResult(c, a)
		e.Args, e.Result, e.Failure = detail(c.Args), detail(a.Value), a.Failure
	}
	return e
}

// detail copies JSON for an event.
func detail(raw json.RawMessage) json.RawMessage {
	if len(raw) > maxDetail || !json.Valid(raw) {
		return nil
	}
	return slices.Clone(raw)
}

// moreCalls returns the advice for a run that has reached its limit of calls. It suggests no higher limit to the
// script of an answer, whose limits cannot be raised.
func (s *calls) moreCalls() string {
	if s.detailed() {
		return "do the rest in another script, or make fewer calls"
	}
	return "allow more with --tool-calls"
}
