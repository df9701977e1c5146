package server

import (
	"slices"

	"github.com/toolscript/toolscript"
)

// waiting is a call that has not been sent yet.
type waiting struct {
	id uint64
	Call
	about toolscript.Error // names the server and the tool
	stop  func() bool      // stops waiting for the end of the caller's context
}

// queue holds the calls that wait for their turn. Those of one run stay in
// order; the runs take turns, so that one with a thousand calls holds up another
// by one call only.
type queue struct {
	byRun map[string][]waiting
	turns []string // the runs that have calls waiting, the next one first
	count int
}

func (q *queue) push(w waiting) {
	if q.byRun == nil {
		q.byRun = map[string][]waiting{}
	}
	if len(q.byRun[w.Run]) == 0 {
		q.turns = append(q.turns, w.Run)
	}
	q.byRun[w.Run] = append(q.byRun[w.Run], w)
	q.count++
}

// pop takes the next call of the run whose turn it is.
func (q *queue) pop() (waiting, bool) {
	if q.count == 0 {
		return waiting{}, false
	}
	run := q.turns[0]
	first := q.byRun[run][0]
	q.turns = append(q.turns[1:], run)
	q.take(run, 0)
	return first, true
}

// remove drops a call whose caller has given up.
func (q *queue) remove(run string, id uint64) {
	if i := slices.IndexFunc(q.byRun[run], func(w waiting) bool { return w.id == id }); i >= 0 {
		q.take(run, i)
	}
}

func (q *queue) take(run string, i int) {
	q.count--
	q.byRun[run] = slices.Delete(q.byRun[run], i, i+1)
	if len(q.byRun[run]) == 0 {
		delete(q.byRun, run)
		q.turns = slices.DeleteFunc(q.turns, func(r string) bool { return r == run })
	}
}
