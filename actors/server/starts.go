package server

import (
	"context"
	"sync"
	"time"
)

// startTime is the maximum time that a start occupies a slot, so that a server that
// hangs does not delay the others.
const startTime = 3 * time.Second

// Starts limits how many server processes start at the same time. Forty simultaneous
// starts would make a machine unresponsive. It is shared by all servers of a gateway.
// A nil Starts has no limit.
type Starts struct{ slots chan struct{} }

// NewStarts returns a limit of n simultaneous starts.
func NewStarts(n int) *Starts { return &Starts{make(chan struct{}, n)} }

// begin waits for a slot. done releases it after the start has succeeded or failed.
func (s *Starts) begin(ctx context.Context) (done func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var once sync.Once
	free := func() { once.Do(func() { <-s.slots }) }
	late := time.AfterFunc(startTime, free)
	return func() { late.Stop(); free() }, nil
}
