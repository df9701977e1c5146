// Package cancels ends the tool calls of one run by their ids.
package cancels

import (
	"context"
	"fmt"
	"sync"

	"github.com/toolscript/toolscript/runner"
)

// Cancels are the calls under way. The zero value holds none; it is safe for
// concurrent use.
type Cancels struct {
	mu   sync.Mutex
	byID map[string]context.CancelCauseFunc
}

// Add makes the context of a call. done is called when the call has ended. The
// error is that a call of this id is under way.
func (c *Cancels) Add(parent context.Context, callID string) (ctx context.Context, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID[callID] != nil {
		return nil, nil, fmt.Errorf("a sandbox began call %s twice", callID)
	}
	if c.byID == nil {
		c.byID = map[string]context.CancelCauseFunc{}
	}
	ctx, cancel := context.WithCancelCause(parent)
	c.byID[callID] = cancel
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.byID, callID)
	}, nil
}

// Cancel ends a call for its script. One that has ended already is no mistake:
// the two may have crossed.
func (c *Cancels) Cancel(callID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.byID[callID]; cancel != nil {
		cancel(runner.ErrCallCancelled)
	}
}
