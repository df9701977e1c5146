package mailbox

import (
	"sort"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
)

// Durations counts durations in the buckets of toolscript.Durations. The zero Durations
// is empty.
type Durations struct {
	counts [len(toolscript.DurationBounds) + 1]atomic.Uint64
	sum    atomic.Int64
}

// Observe adds a duration.
func (d *Durations) Observe(took time.Duration) {
	d.counts[bucketOf(took)].Add(1)
	d.sum.Add(int64(took))
}

func bucketOf(took time.Duration) int {
	return sort.Search(len(toolscript.DurationBounds), func(i int) bool { return took <= toolscript.DurationBounds[i] })
}

// Read returns the histogram. It may have a part of the durations that are added meanwhile.
func (d *Durations) Read() (h toolscript.Durations) {
	for i := range d.counts {
		h.Counts[i] = d.counts[i].Load()
	}
	h.Sum = time.Duration(d.sum.Load())
	return h
}

// kinds are all outcomes; the first is success.
var kinds = [...]toolscript.Kind{
	"", toolscript.ToolFailed, toolscript.Invalid, toolscript.Unauthorized, toolscript.Forbidden, toolscript.NotFound,
	toolscript.Conflict, toolscript.TooLarge, toolscript.Unsupported, toolscript.Busy, toolscript.Unavailable,
	toolscript.Timeout, toolscript.CheckFailed, toolscript.Threw, toolscript.LimitTime, toolscript.LimitMemory,
	toolscript.LimitStack, toolscript.LimitCalls, toolscript.LimitOutput, toolscript.Cancelled, toolscript.InvalidResult,
	toolscript.ApprovalDenied, toolscript.ApprovalTimeout, toolscript.Internal,
}

// Outcomes counts how calls or runs have ended. The zero Outcomes is empty.
type Outcomes struct{ counts [len(kinds)]atomic.Uint64 }

// Add counts an outcome: "" or toolscript.OutcomeOK, or a Kind. Unknown outcomes count as
// toolscript.Internal.
func (o *Outcomes) Add(outcome string) {
	if outcome == toolscript.OutcomeOK {
		outcome = ""
	}
	for i, kind := range kinds {
		if string(kind) == outcome || i == len(kinds)-1 {
			o.counts[i].Add(1)
			return
		}
	}
}

// Calls measures calls as their callers see them.
type Calls struct {
	Outcomes Outcomes
	Bytes    atomic.Uint64 // size of the answers
}

// Ended counts a call and the bytes of its answer.
func (c *Calls) Ended(outcome string, bytes int) {
	c.Outcomes.Add(outcome)
	c.Bytes.Add(uint64(bytes))
}

// Read returns the numbers of the outcomes that have happened, by name.
func (o *Outcomes) Read() map[string]uint64 {
	all := map[string]uint64{}
	for i := range o.counts {
		n := o.counts[i].Load()
		switch {
		case n == 0:
		case kinds[i] == "":
			all[toolscript.OutcomeOK] = n
		default:
			all[string(kinds[i])] = n
		}
	}
	return all
}
