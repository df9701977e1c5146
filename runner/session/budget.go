package session

import (
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

const (
	// maxArguments is the maximum memory that the calls of one run hold in the gateway, in
	// bytes. The frame of the call that waits for room is not included.
	maxArguments = 64 << 20
	// maxAllArguments is the maximum size of the frames of the calls of all runs in this
	// process together, in bytes. It is several times the longest frame.
	maxAllArguments = 256 << 20
	// callCost is the memory that a call needs besides its frame: the stack of a goroutine
	// and the data that waits for the answer.
	callCost = 8 << 10
)

// allArguments counts the frames of the calls of all runs. Without room, a call waits, as at
// the bound of its own run.
var allArguments = semaphore.NewWeighted(maxAllArguments)

// budget counts the bytes that calls hold. It is safe for concurrent use.
type budget struct {
	max   int64
	bytes atomic.Int64
	turn  chan struct{} // held by the goroutine that waits for room; other goroutines wait for turn
	freed chan struct{} // has a token if bytes were released since the last check
}

func newBudget(max int64) budget {
	return budget{max: max, turn: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

// acquire waits until a call with a frame of size bytes fits. It returns false if over or
// gone is closed first.
func (b *budget) acquire(size int, over, gone <-chan struct{}) bool {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-over:
		return false
	case <-gone:
		return false
	}
	cost := int64(size + callCost)
	for b.bytes.Load()+cost > b.max {
		select {
		case <-b.freed:
		case <-over:
			return false
		case <-gone:
			return false
		}
	}
	b.bytes.Add(cost)
	return true
}

// release gives back what acquire took for the same size.
func (b *budget) release(size int) {
	b.bytes.Add(-int64(size + callCost))
	select {
	case b.freed <- struct{}{}:
	default:
	}
}
