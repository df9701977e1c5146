package mailbox

import (
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

// span is the time of one part of an hour.
const span = time.Hour / toolscript.HourParts

// Hour counts durations in the parts of the last hour. The zero Hour is empty.
type Hour struct {
	mu    sync.Mutex
	parts [toolscript.HourParts]part // by number % HourParts
}

type part struct {
	number int64 // number of the span since 1970
	counts [len(toolscript.DurationBounds) + 1]uint32
}

// Observe adds a duration that ended at the time at.
func (h *Hour) Observe(at time.Time, took time.Duration) {
	number := at.UnixNano() / int64(span)
	h.mu.Lock()
	defer h.mu.Unlock()
	p := &h.parts[number%toolscript.HourParts]
	if p.number != number {
		*p = part{number: number}
	}
	p.counts[bucketOf(took)]++
}

// Read returns the hour up to and including the part of now; nil if it is empty.
func (h *Hour) Read(now time.Time) *toolscript.Hour {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := now.UnixNano() / int64(span)
	var all *toolscript.Hour
	for _, p := range h.parts {
		place := p.number - last + toolscript.HourParts - 1
		if place < 0 || place >= toolscript.HourParts {
			continue
		}
		var d toolscript.Durations
		for i, n := range p.counts {
			d.Counts[i] = uint64(n)
		}
		if all == nil {
			all = &toolscript.Hour{Calls: make([]uint64, toolscript.HourParts), P95Ms: make([]float64, toolscript.HourParts)}
		}
		all.Calls[place] = d.Count()
		all.P95Ms[place] = float64(d.Quantile(0.95).Microseconds()) / 1000
	}
	return all
}
