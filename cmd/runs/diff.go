package runs

import "github.com/toolscript/toolscript/actors/audit"

// Difference is one difference between two runs.
type Difference struct {
	Call   string `json:"call,omitempty"` // position in the order of the calls; "" is the run itself
	What   string `json:"what"`           // script, outcome, value, tool, arguments, result or call
	First  string `json:"first"`
	Second string `json:"second"`
	Text   string `json:"text,omitempty"` // differing lines, with credentials redacted, if both runs are recorded
}

// Diff compares two runs by the hashes in the audit. It compares the calls in the order in
// which the scripts made them.
func Diff(a, b Run) []Difference {
	found := []Difference{}
	add := func(call, what, first, second string) {
		if first != second {
			found = append(found, Difference{Call: call, What: what, First: first, Second: second})
		}
	}
	add("", "script", ShortData(a.Script), ShortData(b.Script))
	for i := range max(len(a.CallLines), len(b.CallLines)) {
		switch {
		case i >= len(a.CallLines):
			add(b.CallLines[i].Call, "call", "", b.CallLines[i].Tool)
		case i >= len(b.CallLines):
			add(a.CallLines[i].Call, "call", a.CallLines[i].Tool, "")
		default:
			diffCall(a.CallLines[i], b.CallLines[i], add)
		}
	}
	add("", "value", ShortData(a.Value), ShortData(b.Value))
	add("", "outcome", a.Outcome, b.Outcome)
	return found
}

func diffCall(x, y audit.Line, add func(call, what, first, second string)) {
	add(x.Call, "tool", x.Tool, y.Tool)
	add(x.Call, "arguments", ShortData(x.Args), ShortData(y.Args))
	add(x.Call, "result", ShortData(x.Result), ShortData(y.Result))
	add(x.Call, "outcome", x.Outcome, y.Outcome)
}
