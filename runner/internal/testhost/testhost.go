// Package testhost makes the tool calls of a runner.Host in goroutines, for tests.
package testhost

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Calls are the calls in flight. The zero value is empty.
type Calls struct {
	mu   sync.Mutex
	byID map[string]context.CancelCauseFunc
}

// Make runs f for a call and passes its result to done. Cancel ends the context of f.
func (s *Calls) Make(c runner.Call, done func(runner.Answer), f func(context.Context) (json.RawMessage, *toolscript.ToolError)) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]context.CancelCauseFunc{}
	}
	s.byID[c.CallID] = cancel
	go func() {
		defer cancel(nil)
		value, failure := f(ctx)
		done(runner.Answer{Value: value, Failure: failure})
	}()
}

// Cancel implements runner.Host.
func (s *Calls) Cancel(callID string, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.byID[callID]; cancel != nil {
		cancel(cause)
	}
}
