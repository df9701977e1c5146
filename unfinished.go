package toolscript

import (
	"fmt"
	"strings"
)

// UnfinishedCall is a call that was cancelled because its script ended.
type UnfinishedCall struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Run    string `json:"run,omitempty"` // for a call of a saved script: the id of the run of that script

	Printed string `json:"-"` // server output during the call that explains why there is no answer; the error of the run quotes it
}

// maxUnfinished is the maximum number of tools that UnfinishedTools names.
const maxUnfinished = 10

// UnfinishedText returns a sentence about End.Unfinished for a person; "" if Unfinished
// is empty, or if the error of the run names the calls already.
func (e *End) UnfinishedText() string {
	if len(e.Unfinished) == 0 || e.Kind == LimitTime || e.Error != nil && e.Error.Name == DetachedPromise {
		return ""
	}
	return "these calls had not ended when the script ended, and were cancelled: " + UnfinishedTools(e.Unfinished) + UnfinishedOutput(e.Unfinished)
}

// UnfinishedOutput returns the server output of the first call that has some, as the
// end of a message; "" if no call has some.
func UnfinishedOutput(calls []UnfinishedCall) string {
	for _, c := range calls {
		if c.Printed != "" {
			return "; " + c.Tool + ": " + c.Printed
		}
	}
	return ""
}

// UnfinishedTools lists the names of the tools, each with the number of its calls.
func UnfinishedTools(calls []UnfinishedCall) string {
	var tools []string
	count := map[string]int{}
	for _, c := range calls {
		if count[c.Tool]++; count[c.Tool] == 1 {
			tools = append(tools, c.Tool)
		}
	}
	more := ""
	if n := len(tools) - maxUnfinished; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		tools = tools[:maxUnfinished]
	}
	for i, tool := range tools {
		if n := count[tool]; n > 1 {
			tools[i] = fmt.Sprintf("%s (%d calls)", tool, n)
		}
	}
	return strings.Join(tools, ", ") + more
}

// DetachedPromise is RunError.Name for a script of DialectHarness that ended before its calls had.
const DetachedPromise = "DetachedPromiseError"
