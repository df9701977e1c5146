package runs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
)

// The states of a call. They are also classes in the HTML file.
const (
	work     = "work"
	slot     = "slot"     // waits for its turn in the run or at its server, or for the server
	approval = "approval" // waits for a person
)

// part is a period of a call in one state, in milliseconds since the start of the run.
type part struct {
	state    string
	from, to float64
}

// bar is the bar of a call.
type bar struct {
	audit.Line
	from, to float64 // as in part; from is when the script made the call
	began    float64 // when the call had its turn in the run
	parts    []part  // consecutive parts, between from and to
	lane     int     // from 0; calls that have their turn at the same time have different lanes
}

func (b *bar) failed() bool { return b.Outcome != toolscript.OutcomeOK }

// Waterfall shows the calls of a run in the order in which the script made them, as text for
// a terminal or as an HTML file.
type Waterfall struct {
	run   Run
	bars  []bar
	more  int     // number of omitted calls
	ms    float64 // from the start of the run to its end, or to the end of its last call if that is later
	lanes int
}

const (
	most    = 5000 // maximum number of calls; others are omitted
	longest = 1e12 // maximum time in milliseconds; a changed audit may contain more
)

// WaterfallOf lays out the calls of a run.
func WaterfallOf(r Run) Waterfall {
	w := Waterfall{run: r, ms: within(r.Ms, 0, longest)}
	for _, l := range r.CallLines {
		w.bars = append(w.bars, barOf(l, r.StartedAt))
	}
	slices.SortStableFunc(w.bars, func(a, b bar) int { return cmp.Compare(a.from, b.from) })
	w.more = max(0, len(w.bars)-most)
	w.bars = w.bars[:len(w.bars)-w.more]
	for _, b := range w.bars {
		w.ms = max(w.ms, b.to)
	}
	w.lay()
	return w
}

// barOf returns the bar of a call in a run that began at start. It shortens parts that
// contradict other numbers of the line.
func barOf(l audit.Line, start time.Time) bar {
	b := bar{Line: l, to: within(float64(l.Time.Sub(start).Microseconds())/1000, 0, longest)}
	b.began = within(b.to-l.Ms, 0, b.to)
	b.from = within(b.began-l.QueuedMs, 0, b.began)
	at := b.from
	for _, p := range []part{{slot, 0, b.began}, {approval, 0, b.began + l.ApprovalMs}, {slot, 0, b.began + l.ApprovalMs + l.SlotMs}, {work, 0, b.to}} {
		if p.from, p.to = at, within(p.to, at, b.to); p.to > at {
			b.parts = append(b.parts, p)
			at = p.to
		}
	}
	return b
}

// lay assigns each call to the first lane that is free when it has its turn.
func (w *Waterfall) lay() {
	byTurn := make([]*bar, len(w.bars))
	for i := range w.bars {
		byTurn[i] = &w.bars[i]
	}
	slices.SortStableFunc(byTurn, func(a, b *bar) int { return cmp.Compare(a.began, b.began) })
	var ends []float64 // end of the last call, by lane
	for _, b := range byTurn {
		b.lane = slices.IndexFunc(ends, func(end float64) bool { return end <= b.began })
		if b.lane < 0 {
			b.lane = len(ends)
			ends = append(ends, 0)
		}
		ends[b.lane] = b.to
	}
	w.lanes = len(ends)
}

// within returns x limited to low and high. It returns low for NaN.
func within(x, low, high float64) float64 {
	if !(x > low) {
		return low
	}
	return min(x, high)
}

// duration formats a time in milliseconds in at most 8 columns.
func duration(ms float64) string {
	switch d := time.Duration(ms) * time.Millisecond; {
	case ms < 9.95:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 999.5:
		return fmt.Sprintf("%.0f ms", ms)
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", ms/1000)
	case d < 100*time.Minute:
		return fmt.Sprintf("%.1f min", d.Minutes())
	default:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
}

// counts describes the number of calls, of parallel calls, and of failed calls.
func (w *Waterfall) counts() string {
	failed := 0
	for i := range w.bars {
		if w.bars[i].failed() {
			failed++
		}
	}
	text := fmt.Sprintf("%d calls, up to %d at a time", len(w.bars)+w.more, w.lanes)
	if len(w.bars)+w.more == 1 {
		text = "1 call"
	}
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}
