package execution

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Outside makes a call that arrived over HTTP. It returns the whole result.
func (s *calls) Outside(ctx context.Context, request toolscript.Call) (raw json.RawMessage, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(errAborted) })()
	c := &call{Call: runner.Call{ID: request.ID, Args: request.Args}, turn: make(chan struct{}), stop: cancel}
	if err := s.admit(c); err != nil {
		return nil, err
	}
	s.startNext()
	select {
	case <-c.turn:
	case <-ctx.Done():
		if s.drop(c) {
			return nil, errAborted
		}
	}
	kind := toolscript.Internal
	defer func() { s.finish(c, runner.Answer{}, kind) }() // also after a panic
	s.announce(c)
	request.CallID, request.Waiting = c.CallID, s.waiting(c, ctx.Done())
	request.Left = s.left()
	request.Terminal, request.Asks = s.questions.terminal, s.questions.person
	tool, err := s.resolve(ctx, c, request.Wait)
	if err == nil {
		request.ID = tool.ID()
		if s.plans(tool) {
			raw, err = s.plannedResult(ctx, c, tool)
		} else {
			raw, err = s.deps.Call(ctx, request)
		}
	}
	if kind = toolscript.KindOf(err); err == nil {
		kind = kindOfResult(raw)
	}
	return raw, err
}

// drop removes a call over HTTP that was cancelled before its turn. It returns false
// if its turn has come.
func (s *calls) drop(c *call) bool {
	s.mu.Lock()
	dropped := !c.started
	if dropped {
		s.close(c, toolscript.Cancelled, 0)
	}
	settled := dropped && s.over && len(s.inFlight) == 0
	s.mu.Unlock()
	if settled {
		s.settled()
	}
	return dropped
}
