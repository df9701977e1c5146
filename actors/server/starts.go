package server

import (
	"context"
	"sync"
	"time"
)

// startTime is how long a server counts as starting at most: one that hangs must
// not hold up the others.
const startTime = 3 * time.Second

// Starts bounds how many processes of servers start at the same time. A machine
// that starts forty of them at once answers nobody meanwhile. It is shared by all
// servers of a gateway; a nil one bounds nothing.
type Starts struct{ slots chan struct{} }

// NewStarts lets n servers start at the same time.
func NewStarts(n int) *Starts { return &Starts{make(chan struct{}, n)} }

// begin waits for its turn. done says that the server has started, or will not.
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
