package session

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// Answer is the result of a tool call, as it is sent to the process of the sandbox.
type Answer struct {
	CallID  string
	Value   json.RawMessage
	Content json.RawMessage // see runner.Answer
	Failure *toolscript.ToolError
}

// Text returns the value as JSON for the sandbox. with reports whether this is an object with
// the members value and content.
func (a Answer) Text() (text []byte, with bool) {
	if a.Content == nil {
		return a.Value, false
	}
	text = make([]byte, 0, len(a.Value)+len(a.Content)+len(`{"value":,"content":}`))
	text = append(append(text, `{"value":`...), a.Value...)
	text = append(append(text, `,"content":`...), a.Content...)
	return append(text, '}'), true
}

// bounded converts an answer of the host. If value and content exceed the limit together, it
// drops the content; if the value does so alone, it returns a failure.
func (c *scriptCall) bounded(a runner.Answer) Answer {
	most := c.of.options.MaxAnswer
	switch answer := (Answer{CallID: c.id, Value: a.Value, Content: a.Content}); {
	case a.Failure != nil:
		return Answer{CallID: c.id, Failure: a.Failure}
	case len(a.Value) > most:
		return Answer{CallID: c.id, Failure: scripterror.AnswerTooLong(c.tool, len(a.Value), most)}
	case len(a.Value)+len(a.Content) > most-len(`{"value":,"content":}`):
		answer.Content = nil
		return answer
	default:
		return answer
	}
}
