package runs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Outside makes a call that arrived over HTTP. It returns the whole result.
func (s *calls) Outside(ctx context.Context, request toolscript.Call) (raw json.RawMessage, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(errAborted) })()
	c := &runCall{Call: runner.Call{ID: request.ID, Args: request.Args}, turn: make(chan struct{}), stop: cancel}
	if err := s.admit(c); err != nil {
		return nil, notMade(err)
	}
	s.startNext()
	select {
	case <-c.turn:
	case <-ctx.Done():
		if s.drop(c) {
			return nil, notMade(errAborted)
		}
	}
	how := ending{toolscript.Internal, toolscript.SentUnknown}
	defer func() { s.finish(c, runner.Answer{}, how) }() // even after a panic
	s.announce(c)
	request.CallID, request.Waiting = c.CallID, s.waiting(c, ctx.Done())
	request.Left, request.Origin, request.Queued = s.left, &c.origin, time.Since(c.asked)
	request.Terminal, request.Asks = s.questions.terminal, s.questions.person
	if raw, err = s.makeOutside(ctx, c, request); err == nil {
		how = endingOf(kindOfResult(raw), toolscript.SentYes)
	} else {
		how = endingOf(toolscript.KindOf(err), toolscript.SentOf(err))
	}
	return raw, err
}

func (s *calls) makeOutside(ctx context.Context, c *runCall, request toolscript.Call) (json.RawMessage, error) {
	tool, err := s.resolve(ctx, c, request.Wait)
	if err != nil {
		return nil, notMade(err)
	}
	request.ID = tool.ID()
	if !s.plans(tool) {
		return s.deps.Call(ctx, request)
	}
	raw, err := s.plannedResult(ctx, c, tool)
	if err != nil {
		return nil, notMade(err)
	}
	return raw, nil
}

// drop removes a call over HTTP that was cancelled before its turn. It returns false if the
// call has got its turn.
func (s *calls) drop(c *runCall) bool {
	s.mu.Lock()
	dropped := !c.started
	if dropped {
		s.close(c, ending{toolscript.Cancelled, toolscript.SentNo}, 0)
	}
	settled := dropped && s.over && len(s.inFlight) == 0
	s.mu.Unlock()
	if settled {
		s.settled()
	}
	return dropped
}
