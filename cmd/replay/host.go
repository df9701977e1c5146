package replay

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution/recording"
	"github.com/toolscript/toolscript/runner"
)

const (
	// patience is how long an answer waits for the calls that were made before it in the
	// recorded run. Only a script that has diverged lets it wait.
	patience = 300 * time.Millisecond
	// mostDivergences bounds a Report.
	mostDivergences = 20
)

// host answers the calls of a sandbox from a recording: the answers arrive in the order
// of the recorded run, so that races of promises end in the same way.
type host struct {
	recorded recording.Recording
	write    func(runner.Stream, string)

	mu      sync.Mutex
	begun   int
	used    []bool              // by index in recorded.Calls
	waiting map[int]*waiting    // by index in recorded.Calls
	byID    map[string]*waiting // by CallID
	found   []Divergence
	timer   *time.Timer
	stdin   bool // it was read
}

// waiting is a call without its answer.
type waiting struct {
	at   int // in recorded.Calls
	id   string
	done func(runner.Answer)
}

var _ runner.Host = (*host)(nil)

func newHost(r recording.Recording, write func(runner.Stream, string)) *host {
	return &host{recorded: r, write: write, used: make([]bool, len(r.Calls)), waiting: map[int]*waiting{}, byID: map[string]*waiting{}}
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

// match finds the recorded call, and notes a difference. It is called with mu held.
func (h *host) match(c runner.Call) int {
	calls := h.recorded.Calls
	if h.begun < len(calls) && !h.used[h.begun] && calls[h.begun].ID == c.ID && equal(calls[h.begun].Args, c.Args) {
		return h.begun
	}
	switch {
	case h.begun >= len(calls):
		h.note(Divergence{Kind: Extra, Call: h.begun + 1, Replayed: describe(c.ID, c.Args)})
	case calls[h.begun].ID != c.ID:
		h.note(Divergence{Kind: Tool, Call: h.begun + 1, Recorded: describe(calls[h.begun].ID, calls[h.begun].Args), Replayed: describe(c.ID, c.Args)})
	case !equal(calls[h.begun].Args, c.Args):
		h.note(Divergence{Kind: Arguments, Call: h.begun + 1, Recorded: describe(c.ID, calls[h.begun].Args), Replayed: describe(c.ID, c.Args)})
	}
	for i, call := range calls { // an equal call of another place answers, so that the rest can be compared
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

// deliver passes on the answers that are due. late says that nothing has happened for a
// while: then the first answer that waits is due.
func (h *host) deliver(late bool) {
	for {
		h.mu.Lock()
		if h.timer != nil {
			h.timer.Stop()
			h.timer = nil
		}
		next := h.next()
		if next == nil {
			h.mu.Unlock()
			return
		}
		call := h.recorded.Calls[next.at]
		if call.Begun > h.begun && len(h.found) == 0 {
			if !late {
				h.timer = time.AfterFunc(patience, func() { h.deliver(true) })
				h.mu.Unlock()
				return
			}
			h.note(Divergence{
				Kind: Order, Call: next.at + 1,
				Recorded: fmt.Sprintf("%d calls before its answer", call.Begun), Replayed: fmt.Sprintf("%d calls", h.begun),
			})
		}
		late = false
		h.remove(next)
		h.mu.Unlock()
		next.done(runner.Answer{Value: call.Value, Failure: call.Failure})
	}
}

// next is the call whose answer came first; nil if none has one. It is called with mu held.
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
		failure = &toolscript.ToolError{Tool: call.ID, Code: toolscript.Cancelled, Message: cause.Error()}
	}
	w.done(runner.Answer{Failure: failure})
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

// report compares the ends.
func (h *host) report(o runner.Outcome) Report {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
	}
	missing := 0
	for i, used := range h.used {
		if !used {
			if missing++; missing == 1 && h.begun < len(h.used) {
				h.note(Divergence{Kind: Missing, Call: i + 1, Recorded: describe(h.recorded.Calls[i].ID, h.recorded.Calls[i].Args)})
			}
		}
	}
	before, now := outcomeOf(h.recorded.Outcome), outcomeOf(o)
	switch {
	case before != now:
		h.note(Divergence{Kind: Error, Recorded: shown(cmp.Or(before, "no error")), Replayed: shown(cmp.Or(now, "no error"))})
	case len(h.recorded.Outcome.Value) != 0 != (len(o.Value) != 0) || len(o.Value) != 0 && !equal(h.recorded.Outcome.Value, o.Value):
		h.note(Divergence{Kind: Value, Recorded: shown(string(h.recorded.Outcome.Value)), Replayed: shown(string(o.Value))})
	}
	r := Report{
		RunID: h.recorded.Job.RunID, Same: len(h.found) == 0, Calls: h.begun, Recorded: len(h.used),
		Divergences: h.found, Value: o.Value, Cut: h.recorded.Cut,
	}
	if r.Divergences == nil {
		r.Divergences = []Divergence{}
	}
	return r
}
