package runs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/runner"
)

// mostDivergences is the maximum number of divergences in a ReplayReport.
const mostDivergences = 20

// host answers the calls of a sandbox from a recording. The answers arrive in the order of the
// recorded run, so that races of promises end in the same way: an answer waits until as many calls
// have begun as in the recording. A changed script may wait for the answer before it makes them.
// The sandbox then reports that it is idle (runner.Idler), and the answer is delivered.
type host struct {
	recorded kept.Recording
	write    func(runner.Stream, string)
	stop     func() // ends the run

	mu      sync.Mutex
	begun   int
	used    []bool              // by index in recorded.Calls
	waiting map[int]*waiting    // by index in recorded.Calls
	byID    map[string]*waiting // by CallID
	found   []Divergence
	stdin   bool // stdin was read
	stopped bool // stop was called
}

// waiting is a call without its answer.
type waiting struct {
	at   int // index in recorded.Calls
	id   string
	done func(runner.Answer)
}

var _ interface {
	runner.Host
	runner.Idler
} = (*host)(nil)

func newHost(r kept.Recording, write func(runner.Stream, string), stop func()) *host {
	return &host{recorded: r, write: write, stop: stop, used: make([]bool, len(r.Calls)), waiting: map[int]*waiting{}, byID: map[string]*waiting{}}
}

// Begin implements runner.Host.
func (h *host) Begin(c runner.Call, done func(runner.Answer)) {
	h.mu.Lock()
	at := h.match(c)
	h.begun++
	if at < 0 {
		h.mu.Unlock()
		done(runner.Answer{Failure: notRecorded(c.ID)})
		return
	}
	h.used[at] = true
	w := &waiting{at, c.CallID, done}
	h.waiting[at], h.byID[c.CallID] = w, w
	h.mu.Unlock()
	h.deliver(false)
}

// match finds the recorded call for a call, or returns -1. It notes a divergence. The caller holds mu.
func (h *host) match(c runner.Call) int {
	calls := h.recorded.Calls
	if h.begun < len(calls) && !h.used[h.begun] && calls[h.begun].ID == c.ID && equal(calls[h.begun].Args, c.Args) {
		return h.begun
	}
	switch {
	case h.begun >= len(calls):
		h.note(Divergence{Kind: ExtraCall, Call: h.begun + 1, Replayed: describe(c.ID, c.Args)})
	case calls[h.begun].ID != c.ID:
		h.note(Divergence{Kind: OtherTool, Call: h.begun + 1, Recorded: describe(calls[h.begun].ID, calls[h.begun].Args), Replayed: describe(c.ID, c.Args)})
	case !equal(calls[h.begun].Args, c.Args):
		h.note(Divergence{Kind: OtherArguments, Call: h.begun + 1, Recorded: describe(c.ID, calls[h.begun].Args), Replayed: describe(c.ID, c.Args)})
	}
	for i, call := range calls { // an equal call at another position answers, so that the rest can be compared
		if !h.used[i] && call.ID == c.ID && equal(call.Args, c.Args) {
			return i
		}
	}
	return -1
}

func (h *host) note(d Divergence) {
	if len(h.found) < mostDivergences {
		h.found = append(h.found, d)
	}
}

// Idle implements runner.Idler.
func (h *host) Idle(calls int) {
	h.mu.Lock()
	idle := calls == len(h.waiting) // otherwise an answer is on its way
	h.mu.Unlock()
	if idle && !h.endless() {
		h.deliver(true)
	}
}

// endless handles a script that waits only for calls that did not end in the recorded run,
// and reports whether this is the case. If the recorded run was ended from outside, this
// run is stopped too. Otherwise the script was changed, and the calls fail.
func (h *host) endless() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 || h.next() != nil {
		return false
	}
	if e := h.recorded.Outcome.Err; e != nil && (e.Code == toolscript.LimitTime || e.Code == toolscript.Cancelled) {
		h.stopped = true
		h.stop()
		return true
	}
	at := slices.Min(slices.Collect(maps.Keys(h.waiting)))
	h.note(Divergence{Kind: OtherOrder, Call: at + 1, Recorded: "no answer before the end of the script", Replayed: "the script waits for its answer"})
	for _, w := range h.waiting {
		h.remove(w)
		go w.done(runner.Answer{Failure: notRecorded(h.recorded.Calls[w.at].ID)})
	}
	return true
}

func (h *host) wasStopped() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}

// deliver delivers the answers that are due. If idle, the script does nothing before it
// gets an answer, so the first waiting answer is due.
func (h *host) deliver(idle bool) {
	for {
		h.mu.Lock()
		next := h.next()
		if next == nil {
			h.mu.Unlock()
			return
		}
		call := h.recorded.Calls[next.at]
		if call.Begun > h.begun && len(h.found) == 0 {
			if !idle {
				h.mu.Unlock()
				return
			}
			h.note(Divergence{
				Kind: OtherOrder, Call: next.at + 1,
				Recorded: fmt.Sprintf("%d calls before its answer", call.Begun), Replayed: fmt.Sprintf("%d calls", h.begun),
			})
		}
		idle = false
		h.remove(next)
		h.mu.Unlock()
		next.done(runner.Answer{Value: call.Value, Content: call.Content, Failure: call.Failure})
	}
}

// next returns the waiting call that was answered first in the recording, or nil. The caller holds mu.
func (h *host) next() (first *waiting) {
	for at, w := range h.waiting {
		end := h.recorded.Calls[at].End
		if end > 0 && (first == nil || end < h.recorded.Calls[first.at].End) {
			first = w
		}
	}
	return first
}

func (h *host) remove(w *waiting) {
	delete(h.waiting, w.at)
	delete(h.byID, w.id)
}

// Cancel implements runner.Host.
func (h *host) Cancel(callID string, cause error) {
	h.mu.Lock()
	w := h.byID[callID]
	if w != nil {
		h.remove(w)
	}
	h.mu.Unlock()
	if w == nil {
		return
	}
	call := h.recorded.Calls[w.at]
	failure := call.Failure
	if failure == nil {
		failure = &toolscript.ToolError{Tool: call.ID, Code: toolscript.Cancelled, Sent: toolscript.SentUnknown, Message: cause.Error()}
	}
	w.done(runner.Answer{Failure: failure})
}

// CancelAll implements runner.Host.
func (h *host) CancelAll(cause error) {
	h.mu.Lock()
	ids := slices.Collect(maps.Keys(h.byID))
	h.mu.Unlock()
	for _, id := range ids {
		h.Cancel(id, cause)
	}
}

// Write implements runner.Host.
func (h *host) Write(s runner.Stream, text string) { h.write(s, text) }

// ReadStdin implements runner.Host.
func (h *host) ReadStdin(context.Context) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stdin || len(h.recorded.Stdin) == 0 {
		return nil, nil
	}
	h.stdin = true
	return h.recorded.Stdin, nil
}

// report compares the ends of the runs and returns the report.
func (h *host) report(o runner.Outcome) ReplayReport {
	h.mu.Lock()
	defer h.mu.Unlock()
	missing := 0
	for i, used := range h.used {
		if !used {
			if missing++; missing == 1 && h.begun < len(h.used) {
				h.note(Divergence{Kind: MissingCall, Call: i + 1, Recorded: describe(h.recorded.Calls[i].ID, h.recorded.Calls[i].Args)})
			}
		}
	}
	if h.stopped { // the recorded run was ended here
		o = h.recorded.Outcome
	}
	before, now := outcomeOf(h.recorded.Outcome), outcomeOf(o)
	switch {
	case before != now:
		h.note(Divergence{Kind: OtherError, Recorded: shownText(cmp.Or(before, "no error")), Replayed: shownText(cmp.Or(now, "no error"))})
	case len(h.recorded.Outcome.Value) != 0 != (len(o.Value) != 0) || len(o.Value) != 0 && !equal(h.recorded.Outcome.Value, o.Value):
		h.note(Divergence{Kind: OtherValue, Recorded: shownText(string(h.recorded.Outcome.Value)), Replayed: shownText(string(o.Value))})
	}
	r := ReplayReport{
		RunID: h.recorded.Job.RunID, Same: len(h.found) == 0, Calls: h.begun, Recorded: len(h.used),
		Divergences: h.found, Value: o.Value, Cut: h.recorded.Cut,
	}
	if r.Divergences == nil {
		r.Divergences = []Divergence{}
	}
	return r
}
