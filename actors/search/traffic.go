package search

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// pause is how long nothing may have begun or ended before indexing goes on.
	pause = 20 * time.Millisecond
	// patience bounds the wait for a pause: a gateway that is never idle is
	// indexed too, at low priority.
	patience = 500 * time.Millisecond
)

// traffic is what somebody waits for: calls and queries.
type traffic struct {
	last atomic.Int64 // when something began or ended, in ns since 1970
}

func (t *traffic) begin() (done func()) {
	t.stir()
	return t.stir
}

func (t *traffic) stir() { t.last.Store(time.Now().UnixNano()) }

// quiet waits for a pause in the traffic, patience long at most. A call that
// waits for its server is no traffic: it needs no processor.
func (t *traffic) quiet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		left := pause - time.Duration(time.Now().UnixNano()-t.last.Load())
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
