package server

import (
	"slices"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/measure"
)

// Traffic measures the calls of one server, over all its connections and actors. It is
// safe for concurrent use.
type Traffic struct {
	Durations measure.Durations // of tools/call requests, from the request to the answer
	Calls     measure.Calls     // of its tools, also those that were not sent
	Hour      measure.Hour      // as Durations

	Fetches Fetches // requests for resources and prompts, from the request to the answer

	DroppedLines atomic.Uint64 // lines that were left out of the log

	Delayed, Refused atomic.Uint64 // calls that had to wait because of the rate limit, or could not
}

// Fetches has a histogram for each of toolscript.FetchIDs.
type Fetches [5]measure.Durations

// of is the histogram of an id.
func (f *Fetches) of(id string) *measure.Durations {
	if i := slices.Index(toolscript.FetchIDs(), id); i >= 0 {
		return &f[i]
	}
	return &measure.Durations{} // of no request that is sent
}

// Read returns the histograms that have a request, by method.
func (f *Fetches) Read() map[string]toolscript.Durations {
	var all map[string]toolscript.Durations
	for i, id := range toolscript.FetchIDs() {
		d := f[i].Read()
		if d.Count() == 0 {
			continue
		}
		if all == nil {
			all = map[string]toolscript.Durations{}
		}
		all[toolscript.FetchRequest{ID: id}.Method()] = d
	}
	return all
}
