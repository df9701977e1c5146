// Package held bounds what the tool calls of one run keep in the gateway's memory.
package held

import "sync/atomic"

const (
	// maxHeld bounds what the calls of one run keep in the gateway's memory. One
	// more frame has been read when it is reached.
	maxHeld = 64 << 20
	// callCost is what a call keeps beside its frame: a goroutine whose stack
	// reaches down into a transport, and what waits for its answer.
	callCost = 8 << 10
)

// Held counts what is in the hands of calls. It is safe for concurrent use.
type Held struct {
	bytes atomic.Int64
	turn  chan struct{} // one element: who waits for room, others behind it
	freed chan struct{} // a token: something was released since the last look
}

// New holds nothing yet.
func New() *Held { return &Held{turn: make(chan struct{}, 1), freed: make(chan struct{}, 1)} }

// Take waits until a call with a frame of size bytes has room. It gives up, and
// reports false, when the run is over or its worker is gone.
func (h *Held) Take(size int, over, gone <-chan struct{}) bool {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-over:
		return false
	case <-gone:
		return false
	}
	cost := int64(size + callCost)
	for h.bytes.Load()+cost > maxHeld {
		select {
		case <-h.freed:
		case <-over:
			return false
		case <-gone:
			return false
		}
	}
	h.bytes.Add(cost)
	return true
}

// Release gives back what Take took for the same size.
func (h *Held) Release(size int) {
	h.bytes.Add(-int64(size + callCost))
	select {
	case h.freed <- struct{}{}:
	default:
	}
}
