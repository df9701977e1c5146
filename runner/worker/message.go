package worker

import (
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/session"
)

// ready is the first message of a worker.
type ready struct {
	Confinement []toolscript.Confinement `json:"confinement"` // as the worker found it
}

// compiled answers one runner.Source.
type compiled struct {
	Compiled    runner.Compiled         `json:"compiled"`
	Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
}

// checkRequest asks for the type errors of a source that compiles.
type checkRequest struct {
	runner.Source
	Returns bool   `json:"returns,omitempty"`
	Strict  bool   `json:"strict,omitempty"`
	Module  string `json:"module"` // key of the declarations
}

// checked answers a checkRequest or a moduleHeader.
type checked struct {
	Unknown     bool                    `json:"unknown,omitempty"` // the worker does not have the declarations of that key
	Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
}

// moduleHeader announces declarations; their text follows.
type moduleHeader struct {
	Key string `json:"key"`
}

// callHeader announces a tool call; its arguments follow.
type callHeader struct {
	CallID string `json:"callId"`
	ID     string `json:"id,omitempty"`
	Task   bool   `json:"task,omitempty"`
}

// answerHeader answers a tool call; the value follows if there is no error.
type answerHeader struct {
	CallID string                `json:"callId"`
	Err    *toolscript.ToolError `json:"err,omitempty"`
}

// clockHeader reports that the clock of the run stopped or continues.
type clockHeader struct {
	Standing bool `json:"standing"`
}

// stdinHeader announces a piece of standard input; its bytes follow.
type stdinHeader struct {
	End bool   `json:"end,omitempty"` // the input has ended
	Err string `json:"err,omitempty"` // why it ended, if that was an error
}

// writeEnd sends the end of a run: the outcome without its value, and the value.
func (l *link) writeEnd(o runner.Outcome) error {
	value := o.Value
	o.Value = nil
	return l.writeJSON(frameEnd, o, value)
}

// splitEnd decodes the end of a run. It checks the value: a script may have taken the
// worker over.
func splitEnd(payload []byte) (o runner.Outcome, err error) {
	value, err := split(payload, &o)
	if err != nil || value == nil {
		return o, err
	}
	if o.Value, err = session.Compact(value); err != nil {
		err = errors.New("its value is not JSON")
	}
	return o, err
}
