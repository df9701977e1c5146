// Package history checks records of the gateways, hubs and MCP servers of a fleet whose network had faults.
package history

import (
	"cmp"
	"fmt"
	"slices"
)

// Outcome is the outcome of a call as its gateway has reported it.
type Outcome string

// The outcomes of calls.
const (
	Answered Outcome = "answered"
	Unknown  Outcome = "unknown" // the error says that the call may have been executed
	Refused  Outcome = "refused" // any other error: the call was certainly not executed
	Lost     Outcome = "lost"    // no outcome within the time limit of the test

	// Outcomes of calls over HTTP only.
	Failed    Outcome = "failed"    // the error says that the server has answered
	Untold    Outcome = "untold"    // the error does not say whether the call was sent
	Cancelled Outcome = "cancelled" // the caller has given up
	Cut       Outcome = "cut"       // the gateway has ended
)

// Call is a call through a gateway. Times are in nanoseconds, on one clock for all records.
type Call struct {
	ID      string  `json:"id"`
	Server  string  `json:"server"`
	Gateway string  `json:"gateway"`
	Begin   int64   `json:"begin"`
	End     int64   `json:"end"`
	Outcome Outcome `json:"outcome"`
	Answer  string  `json:"answer"`  // the id in the answer
	Process string  `json:"process"` // process that has answered
	Error   string  `json:"error,omitempty"`
	Limit   int64   `json:"limit,omitempty"` // timeout of the call in ns; 0 if unknown
	Retry   bool    `json:"retry,omitempty"` // whether the error invites the caller to retry
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

// Check returns the problems of the history. There are none if two owners never answered in the same
// term, and no answer was lost or doubled.
func (h History) Check() (problems []string) {
	c := &checker{
		calls: map[string]Call{}, executions: map[string][]Execution{}, terms: map[string][]Term{},
		report: func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) },
	}
	for _, t := range h.Terms {
		c.terms[t.Server] = append(c.terms[t.Server], t)
	}
	for server, terms := range c.terms {
		c.order(server, terms)
	}
	for _, e := range h.Executions {
		c.executions[e.ID] = append(c.executions[e.ID], e)
	}
	for _, call := range h.Calls {
		if _, twice := c.calls[call.ID]; twice {
			c.report("call %s has two reports", call.ID)
			continue
		}
		c.calls[call.ID] = call
		c.call(call)
	}
	for id, all := range c.executions {
		if len(all) > 1 {
			c.report("call %s was carried out %d times", id, len(all))
		}
		if _, known := c.calls[id]; !known {
			c.report("call %s was carried out, and no gateway has reported it", id)
		}
	}
	slices.Sort(problems)
	return problems
}

type checker struct {
	calls      map[string]Call
	executions map[string][]Execution
	terms      map[string][]Term // by server, in order
	report     func(format string, args ...any)
}

// order sorts the terms of a server, and checks that their tokens increase.
func (c *checker) order(server string, terms []Term) {
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Compare(a.Begin, b.Begin) })
	for i := 1; i < len(terms); i++ {
		if a, b := terms[i-1], terms[i]; b.Token <= a.Token {
			c.report("server %s: term %d of %s begins after term %d of %s", server, b.Token, b.Hub, a.Token, a.Hub)
		}
	}
}

func (c *checker) call(call Call) {
	all := c.executions[call.ID]
	if call.End < call.Begin {
		c.report("call %s ends before it begins", call.ID)
	}
	switch call.Outcome {
	case Answered:
		c.answered(call, all)
	case Unknown, Failed, Untold, Cancelled, Cut:
	case Refused:
		if len(all) > 0 {
			c.report("call %s was carried out, and its error does not say so: %s", call.ID, call.Error)
		}
	default:
		c.report("call %s has the outcome %q: %s", call.ID, call.Outcome, call.Error)
	}
}

func (c *checker) answered(call Call, all []Execution) {
	if call.Answer != call.ID {
		c.report("call %s has the answer of call %s", call.ID, call.Answer)
	}
	if len(all) == 0 {
		c.report("call %s has an answer and was not carried out", call.ID)
		return
	}
	e := all[0]
	switch {
	case e.Server != call.Server || e.Process != call.Process:
		c.report("call %s was carried out by process %s of %s, and the answer is from process %s of %s", call.ID, e.Process, e.Server, call.Process, call.Server)
	case e.End == 0 || e.Begin < call.Begin || e.End > call.End || e.End < e.Begin:
		c.report("call %s has an answer, but was not carried out between its begin and its end", call.ID)
	default:
		c.owned(e)
	}
}

// owned checks that an answered execution lies within one term of its hub.
func (c *checker) owned(e Execution) {
	terms := c.terms[e.Server]
	if terms == nil {
		return
	}
	next := slices.IndexFunc(terms, func(t Term) bool { return t.Begin > e.Begin })
	if next < 0 {
		next = len(terms)
	}
	switch {
	case next == 0:
		c.report("call %s was answered by %s before the first term", e.ID, e.Hub)
	case terms[next-1].Hub != e.Hub:
		c.report("call %s was answered by %s in term %d of %s", e.ID, e.Hub, terms[next-1].Token, terms[next-1].Hub)
	case next < len(terms) && terms[next].Begin < e.End:
		c.report("call %s was answered by %s after term %d of %s had begun", e.ID, e.Hub, terms[next].Token, terms[next].Hub)
	}
}
