package server

import (
	"slices"
	"time"

	"github.com/toolscript/toolscript"
)

// waiting is a call that has not been sent yet.
type waiting struct {
	id uint64
	Call
	about toolscript.Error // names the server and the tool
	stop  func() bool      // stops observing the caller's context
	late  *time.Timer      // ends the wait for a connection; nil if the call waits for its turn
}

// end stops the timers of a waiting call. It returns true if the caller has no answer
// yet; the caller of end must then send one.
func (w *waiting) end() bool {
	if w.late != nil {
		w.late.Stop()
	}
	return w.stop()
}

// queue holds the calls that wait for their turn or for a connection. Calls of one
// run stay in order, and runs take turns: a run with a thousand calls delays another
// run by one call only.
type queue struct {
	byRun map[string][]waiting
	turns []string // the runs with waiting calls, the next one first
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

// before returns how many waiting calls are sent before a further call of a run.
func (q *queue) before(run string) (n int) {
	own := len(q.byRun[run])
	turns := own + 1 // turns that an earlier run in q.turns has before that call
	for _, other := range q.turns {
		if other == run {
			turns = own
		}
		n += min(len(q.byRun[other]), turns)
	}
	return n
}

// pop removes the next call of the run whose turn it is.
func (q *queue) pop() (waiting, bool) {
	if q.count == 0 {
		return waiting{}, false
	}
	run := q.turns[0]
	q.turns = append(q.turns[1:], run)
	return q.take(run, 0), true
}

func (q *queue) remove(run string, id uint64) (waiting, bool) {
	i := slices.IndexFunc(q.byRun[run], func(w waiting) bool { return w.id == id })
	if i < 0 {
		return waiting{}, false
	}
	return q.take(run, i), true
}

func (q *queue) take(run string, i int) waiting {
	w := q.byRun[run][i]
	q.count--
	q.byRun[run] = slices.Delete(q.byRun[run], i, i+1)
	if len(q.byRun[run]) == 0 {
		delete(q.byRun, run)
		q.turns = slices.DeleteFunc(q.turns, func(r string) bool { return r == run })
	}
	return w
}

func (q *queue) each(visit func(*waiting)) {
	for _, calls := range q.byRun {
		for i := range calls {
			visit(&calls[i])
		}
	}
}

// refuse removes all calls and fails them.
func (q *queue) refuse(why func(waiting) error) {
	q.refuseIf(func(waiting) bool { return true }, why)
}

// refuseIf removes the selected calls and fails them.
func (q *queue) refuseIf(which func(waiting) bool, why func(waiting) error) {
	for _, run := range slices.Clone(q.turns) {
		for i := 0; i < len(q.byRun[run]); {
			if !which(q.byRun[run][i]) {
				i++
				continue
			}
			if w := q.take(run, i); w.end() {
				w.refuse(named(why(w), w.about))
			}
		}
	}
}
