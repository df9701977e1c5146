// Package history checks records of the callers, hubs and MCP servers of programs that were killed, stopped
// or cut off.
package history

import (
	"cmp"
	"slices"
)

// Outcome is the outcome of a call as its caller has seen it.
type Outcome string

// The outcomes of calls.
const (
	Answered  Outcome = "answered"
	Unknown   Outcome = "unknown"   // the error says that the call may have been executed
	Refused   Outcome = "refused"   // the error says that the call was not executed
	Failed    Outcome = "failed"    // the error says that the server has answered
	Untold    Outcome = "untold"    // the error does not say whether the call was sent
	Cancelled Outcome = "cancelled" // the caller has given up
	Cut       Outcome = "cut"       // the gateway or the sandbox of the caller has ended
	Lost      Outcome = "lost"      // no outcome within the time limit of the test
)

// Call is a call through a gateway. Times are in nanoseconds, on one clock for all records.
type Call struct {
	ID      string
	Server  string
	Gateway string
	Begin   int64
	End     int64
	Outcome Outcome
	Answer  string // the id in the answer
	Process string // process that has answered
	Error   string
	Limit   int64 // timeout of the call in ns; 0 if unknown
	Retry   bool  // whether the error invites the caller to retry
}

// Execution is a call that an MCP server has executed. End is 0 if the execution did not end.
type Execution struct {
	ID      string
	Server  string
	Hub     string
	Process string
	Begin   int64
	End     int64
}

// Term is a term of a hub as the owner of a server. It ends when the next one begins.
type Term struct {
	Server string
	Token  uint64
	Hub    string
	Begin  int64
}

// History holds all records. Servers without terms have no owner.
type History struct {
	Calls      []Call
	Executions []Execution
	Terms      []Term
}

// terms sorts the terms by server and begin, and checks that the tokens of a server increase.
func (f *Figures) terms(all []Term) map[string][]Term {
	by := map[string][]Term{}
	for _, t := range slices.SortedFunc(slices.Values(all), func(a, b Term) int { return cmp.Compare(a.Begin, b.Begin) }) {
		if before := by[t.Server]; len(before) > 0 && t.Token <= before[len(before)-1].Token {
			last := before[len(before)-1]
			f.sin(&f.Foreign, "server %s: term %d of %s begins after term %d of %s", t.Server, t.Token, t.Hub, last.Token, last.Hub)
		}
		by[t.Server] = append(by[t.Server], t)
	}
	return by
}

// owned checks that an answered execution lies within one term of its hub.
func (f *Figures) owned(e Execution, terms []Term) {
	if terms == nil {
		return
	}
	next := slices.IndexFunc(terms, func(t Term) bool { return t.Begin > e.Begin })
	if next < 0 {
		next = len(terms)
	}
	switch {
	case next == 0:
		f.sin(&f.Foreign, "call %s was answered by %s before the first term", e.ID, e.Hub)
	case terms[next-1].Hub != e.Hub:
		f.sin(&f.Foreign, "call %s was answered by %s in term %d of %s", e.ID, e.Hub, terms[next-1].Token, terms[next-1].Hub)
	case next < len(terms) && terms[next].Begin < e.End:
		f.sin(&f.Foreign, "call %s was answered by %s after term %d of %s had begun", e.ID, e.Hub, terms[next].Token, terms[next].Hub)
	}
}
