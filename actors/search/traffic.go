package search

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// pause is the time without the start or end of a call after which indexing
	// continues.
	pause = 20 * time.Millisecond
	// shortPause is like pause, in the middle of a step.
	shortPause = time.Millisecond
	// patience bounds the wait for a pause, before a step and in a step, so that a gateway
	// that is never idle is indexed too, at low priority.
	patience = 500 * time.Millisecond
)

// traffic records the activity of calls and queries.
type traffic struct {
	last atomic.Int64 // time of the last start or end, in ns since 1970
}

// mark notes that a call or a query starts or ends.
func (t *traffic) mark() { t.last.Store(time.Now().UnixNano()) }

// idle returns the time since the last start or end.
func (t *traffic) idle() time.Duration {
	return time.Duration(time.Now().UnixNano() - t.last.Load())
}

// quiet waits for a pause in the traffic, at most for patience. A call that waits for
// its server is not traffic, because it uses no CPU.
func (t *traffic) quiet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		left := pause - t.idle()
		if left <= 0 || ctx.Err() != nil {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// pauses returns a function that waits, in the middle of a step, while calls begin and end.
// All its waits together take at most patience.
func (t *traffic) pauses(ctx context.Context) func() {
	left := patience
	return func() {
		for left > 0 && t.idle() < shortPause && ctx.Err() == nil {
			time.Sleep(shortPause)
			left -= shortPause
		}
	}
}
