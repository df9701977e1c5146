package session

import (
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

const (
	// maxArguments bounds the memory that the calls of one run hold in the gateway.
	// One more frame has been read when the bound is reached.
	maxArguments = 64 << 20
	// maxAllArguments bounds the frames of the calls of all runs in this process
	// together. It is several times the longest frame.
	maxAllArguments = 256 << 20
	// callCost is what a call holds besides its frame: a goroutine whose stack
	// reaches into a transport, and what waits for the answer.
	callCost = 8 << 10
)

// allArguments counts the frames of the calls of all runs. A run that finds no room
// waits in its call, as at the bound of its own.
var allArguments = semaphore.NewWeighted(maxAllArguments)

// budget counts the bytes that calls hold. It is safe for concurrent use.
type budget struct {
	max   int64
	bytes atomic.Int64
	turn  chan struct{} // one element: the goroutine that waits; others wait behind it
	freed chan struct{} // a token: bytes were released since the last look
}

func newBudget(max int64) budget {
	return budget{max: max, turn: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

// acquire waits until a call with a frame of size bytes fits. It reports false
// when over or gone is closed first.
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
