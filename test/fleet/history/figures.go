package history

import (
	"fmt"
	"strings"
	"time"
)

// Hand is the time that a call may need from its hub's last check until its server has recorded the
// beginning. A call that begins later than this after its error counts as executed after its error.
const Hand = 500 * time.Millisecond

// Figures counts what callers were told, and what was wrong about it.
type Figures struct {
	Calls, Answered, NotSent, Unknown, Other int

	Doubled   int           // calls that were executed or reported more than once
	Invented  int           // answers to calls that were not executed completely, or by another process
	Foreign   int           // answers of a hub that was not the owner of the server then, and terms that do not follow each other
	Denied    int           // executed calls whose error says that they were not sent
	Late      int           // calls that were executed after their error
	Latest    time.Duration // longest time from an error to the execution of its call
	Silent    int           // errors that do not say whether the call was sent
	Tempting  int           // calls that may have been executed, but whose error invites the caller to retry
	Lost      int           // calls without an outcome
	Unclaimed int           // executed calls that no client has made
	Overtime  time.Duration // longest time by which a failed call exceeded its timeout

	Problems []string // the first few problems of each kind that must not occur
}

// Violations returns the number of violations: everything that must not occur.
func (f Figures) Violations() int {
	return f.Doubled + f.Invented + f.Foreign + f.Denied + f.Late + f.Silent + f.Tempting + f.Lost + f.Unclaimed
}

// examples is the number of problems of each kind that are described.
const examples = 3

// Figures counts the calls of a history. Calls for which exempt returns true do not count for Overtime,
// because the test has stopped their gateway. exempt may be nil.
func (h History) Figures(exempt func(Call) bool) Figures {
	f := Figures{Calls: len(h.Calls)}
	effects, terms, known := map[string][]Execution{}, f.terms(h.Terms), map[string]bool{}
	for _, e := range h.Executions {
		effects[e.ID] = append(effects[e.ID], e)
	}
	for _, c := range h.Calls {
		if known[c.ID] {
			f.sin(&f.Doubled, "call %s has two reports", c.ID)
			continue
		}
		known[c.ID] = true
		f.outcome(c, effects[c.ID], terms[c.Server])
		f.effects(c, effects[c.ID])
		if c.Limit > 0 && c.Outcome != Answered && (exempt == nil || !exempt(c)) {
			f.Overtime = max(f.Overtime, time.Duration(c.End-c.Begin-c.Limit))
		}
		delete(effects, c.ID)
	}
	for id := range effects {
		f.sin(&f.Unclaimed, "call %s was carried out, and no client has made it", id)
	}
	return f
}

func (f *Figures) sin(count *int, format string, args ...any) {
	*count++
	if *count > examples {
		return
	}
	f.Problems = append(f.Problems, fmt.Sprintf(format, args...))
}

// outcome counts and judges what the caller was told.
func (f *Figures) outcome(c Call, effects []Execution, terms []Term) {
	switch c.Outcome {
	case Answered:
		f.Answered++
		f.answered(c, effects, terms)
	case Refused:
		f.NotSent++
		if len(effects) > 0 {
			f.sin(&f.Denied, "call %s of %s was not sent, its error says, and was carried out: %s", c.ID, c.Server, c.Error)
		}
	case Unknown:
		f.Unknown++
	case Untold:
		f.sin(&f.Silent, "call %s of %s: its error does not say whether it was sent: %s", c.ID, c.Server, c.Error)
	case Lost, "":
		f.sin(&f.Lost, "call %s of %s has no outcome: %s", c.ID, c.Server, c.Error)
	default:
		f.Other++
	}
	if c.Retry && (c.Outcome == Unknown || c.Outcome == Failed) {
		f.sin(&f.Tempting, "call %s of %s may have been carried out, and its error invites to try again: %s", c.ID, c.Server, c.Error)
	}
}

// answered judges an answer: the call was executed between its begin and its end, by the process that has
// answered, in a term of its hub.
func (f *Figures) answered(c Call, effects []Execution, terms []Term) {
	if len(effects) == 0 || effects[0].End == 0 || c.Answer != c.ID {
		f.sin(&f.Invented, "call %s of %s was answered with %q, without its effect", c.ID, c.Server, c.Answer)
		return
	}
	switch e := effects[0]; {
	case e.Server != c.Server || e.Process != c.Process:
		f.sin(&f.Invented, "call %s was carried out by process %s of %s, and the answer is from process %s of %s", c.ID, e.Process, e.Server, c.Process, c.Server)
	case e.Begin < c.Begin || e.End > c.End || e.End < e.Begin:
		f.sin(&f.Invented, "call %s of %s was answered, and not carried out between its begin and its end", c.ID, c.Server)
	default:
		f.owned(e, terms)
	}
}

// effects judges the executions of a call.
func (f *Figures) effects(c Call, effects []Execution) {
	if len(effects) > 1 {
		f.sin(&f.Doubled, "call %s of %s was carried out %d times", c.ID, c.Server, len(effects))
	}
	if c.Outcome == Answered || c.Outcome == Cut {
		return
	}
	for _, e := range effects {
		after := time.Duration(e.Begin - c.End)
		f.Latest = max(f.Latest, after)
		if after > Hand {
			f.sin(&f.Late, "call %s of %s was carried out %s after its error: %s", c.ID, c.Server, after.Round(time.Millisecond), c.Error)
		}
	}
}

// Back returns how long after since the calls of a server succeed again at all gateways: until the
// first answer to a call that began after since and after the last failed call. ok is false if a
// gateway has no such answer.
func (h History) Back(server string, since int64) (back time.Duration, ok bool) {
	failed, first := map[string]int64{}, map[string]int64{} // by gateway
	of := func(c Call) bool { return c.Server == server && c.Begin >= since }
	for _, c := range h.Calls {
		if of(c) {
			first[c.Gateway] = 0
			if c.Outcome != Answered && c.Outcome != Cancelled {
				failed[c.Gateway] = max(failed[c.Gateway], c.Begin)
			}
		}
	}
	for _, c := range h.Calls {
		if of(c) && c.Outcome == Answered && c.Begin > failed[c.Gateway] && (first[c.Gateway] == 0 || c.End < first[c.Gateway]) {
			first[c.Gateway] = c.End
		}
	}
	for _, end := range first {
		if end == 0 {
			return 0, false
		}
		back = max(back, time.Duration(end-since))
	}
	return back, len(first) > 0
}

// Header is the header of a table whose rows are returned by Figures.Row.
const Header = "| calls | answered | not sent | unknown | other | doubled | ok without effect | not by the owner | not sent with effect | after its error (latest) | without sent | invite to try again | lost | over the time-out |"

// Row returns the figures as a row of a table.
func (f Figures) Row() string {
	var b strings.Builder
	for _, n := range []int{f.Calls, f.Answered, f.NotSent, f.Unknown, f.Other, f.Doubled, f.Invented, f.Foreign, f.Denied} {
		fmt.Fprintf(&b, "| %d ", n)
	}
	fmt.Fprintf(&b, "| %d (%s) | %d | %d | %d | %s |", f.Late, f.Latest.Round(time.Millisecond), f.Silent, f.Tempting, f.Lost+f.Unclaimed, f.Overtime.Round(time.Millisecond))
	return b.String()
}
