package server

import (
	"slices"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Traffic measures the calls of one server, over all its connections and actors. It is
// safe for concurrent use.
type Traffic struct {
	Durations mailbox.Durations // tools/call requests, from the request to the answer
	Calls     mailbox.Calls     // calls of the tools, including those that were not sent
	Hour      mailbox.Hour      // Durations of the last hour

	Fetches Fetches // requests for resources and prompts, from the request to the answer

	DroppedLines atomic.Uint64 // lines that were left out of the log

	Delayed, Refused atomic.Uint64 // calls that the rate limit delayed or refused
}

// Fetches has a histogram for each of toolscript.FetchIDs.
type Fetches [5]mailbox.Durations

// of returns the histogram of an id.
func (f *Fetches) of(id string) *mailbox.Durations {
	if i := slices.Index(toolscript.FetchIDs(), id); i >= 0 {
		return &f[i]
	}
	return &mailbox.Durations{} // no request has such an id
}

// Read returns the histograms with at least one request, by method.
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
