package worker

import "sync/atomic"

const (
	// maxHeld bounds what the calls of one run keep in the gateway's memory. One
	// more frame has been read when it is reached.
	maxHeld = 64 << 20
	// callCost is what a call keeps beside its frame: a goroutine whose stack
	// reaches down into a transport, and what waits for its answer.
	callCost = 8 << 10
)

// held counts what is in the hands of calls. One goroutine takes, any number
// release.
type held struct {
	bytes *atomic.Int64
	freed chan struct{} // a token: something was released since the last look
}

func newHeld() held { return held{new(atomic.Int64), make(chan struct{}, 1)} }

// take waits until a call with a frame of size bytes has room. It gives up, and
// reports false, when the run is over or its worker is gone.
func (h held) take(size int, over, gone <-chan struct{}) bool {
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

// release gives back what take took for the same size.
func (h held) release(size int) {
	h.bytes.Add(-int64(size + callCost))
	select {
	case h.freed <- struct{}{}:
	default:
	}
}
