package toolscript

import (
	"fmt"
	"strings"
)

// UnfinishedCall is a call that the end of its script has cancelled.
type UnfinishedCall struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Run    string `json:"run,omitempty"` // of a call of a saved script: the run of that script

	Printed string `json:"-"` // by the server during the call, if it explains why there is no answer; the error of the run has it
}

// maxUnfinished is how many tools UnfinishedText names.
const maxUnfinished = 10

// UnfinishedText is a sentence about End.Unfinished for a person; "" if there are none, or
// if the error of the run names them.
func (e *End) UnfinishedText() string {
	if len(e.Unfinished) == 0 || e.Kind == LimitTime || e.Error != nil && e.Error.Name == DetachedPromise {
		return ""
	}
	return "these calls had not ended when the script ended, and were cancelled: " + UnfinishedTools(e.Unfinished) + UnfinishedOutput(e.Unfinished)
}

// UnfinishedOutput says what the server printed during the first of the calls for which that is
// known; empty if there is none.
func UnfinishedOutput(calls []UnfinishedCall) string {
	for _, c := range calls {
		if c.Printed != "" {
			return "; " + c.Tool + ": " + c.Printed
		}
	}
	return ""
}

// UnfinishedTools are the names of the tools, each with the number of its calls.
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

// DetachedPromise is RunError.Name of a script of DialectHarness that ended before its calls.
const DetachedPromise = "DetachedPromiseError"
