package toolscript

import (
	"fmt"
	"slices"
	"strings"
)

// MadeCalls describes consecutive calls of one tool with the same outcome.
type MadeCalls struct {
	Tool   string `json:"tool"` // tool id
	Calls  int    `json:"calls"`
	CallID string `json:"callId"`         // id of the first call
	Kind   Kind   `json:"kind,omitempty"` // kind of the error; absent if the calls succeeded
	Sent   Sent   `json:"sent,omitempty"` // for failed calls: whether the server got them
}

// maxMade is the maximum length of End.Made.
const maxMade = 20

// Make adds the calls of a failed run. A call that has not ended counts as cancelled,
// unless it is one of Detached: such a call is left out.
func (e *End) Make(calls []CallRecord) {
	for _, c := range calls {
		if c.Planned || c.OK == nil && slices.ContainsFunc(e.Detached, func(d DetachedCall) bool { return d.CallID == c.CallID }) {
			continue
		}
		e.MadeCalls++
		made := MadeCalls{Tool: c.Tool, Calls: 1, CallID: c.CallID, Kind: c.Kind, Sent: c.Sent}
		if c.OK == nil {
			made.Kind, made.Sent = Cancelled, SentUnknown
		}
		if n := len(e.Made); n > 0 {
			last := &e.Made[n-1]
			switch {
			case e.MadeMore == 0 && last.Tool == made.Tool && last.Kind == made.Kind && last.Sent == made.Sent:
				last.Calls++
				continue
			case n == maxMade:
				e.MadeMore++
				continue
			}
		}
		e.Made = append(e.Made, made)
	}
}

// MadeText returns a sentence about the calls of a failed run, with the command that lists them; "" if it
// has made no call.
func (e *End) MadeText(runID string) string {
	if len(e.Made) == 0 {
		return ""
	}
	var calls []string
	again := ""
	for _, m := range e.Made {
		text := m.Tool + " ok"
		switch {
		case m.Kind == "":
			again = "; the calls marked ok have been carried out, and the whole script would repeat them"
		case m.Sent == SentUnknown:
			text = fmt.Sprintf("%s %s, and whether it was carried out is not known", m.Tool, m.Kind)
		default:
			text = m.Tool + " " + string(m.Kind)
		}
		if m.Calls > 1 {
			text += fmt.Sprintf(" (%d calls)", m.Calls)
		}
		calls = append(calls, text)
	}
	if e.MadeMore > 0 {
		calls = append(calls, fmt.Sprintf("and %d more", e.MadeMore))
	}
	count := "1 call"
	if e.MadeCalls > 1 {
		count = fmt.Sprintf("%d calls", e.MadeCalls)
	}
	return fmt.Sprintf("run %s had made %s: %s%s; show the calls: %s",
		runID, count, strings.Join(calls, "; "), again, Command("runs", "show", runID))
}
