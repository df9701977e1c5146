package server

import (
	"sync/atomic"

	"github.com/toolscript/toolscript/actors/internal/measure"
)

// Traffic measures the calls of one server, over all its connections and actors. It is
// safe for concurrent use.
type Traffic struct {
	Durations measure.Durations // of tools/call requests, from the request to the answer
	Calls     measure.Calls     // of its tools, also those that were not sent

	DroppedLines atomic.Uint64 // lines that were left out of the log
}
