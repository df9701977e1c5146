package runs

import (
	"context"
	"math"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// admit calls enter and reports a refused call to Deps.Refused.
func (s *calls) admit(c *runCall) error {
	err := s.enter(c)
	if err != nil && s.deps.Refused != nil {
		s.deps.Refused(toolscript.Call{ID: c.ID, Args: c.Args, Run: s.id, CallID: c.CallID}, err)
	}
	return err
}

// startInGoroutine makes a call in its own goroutine, because the call may have to wait.
func (s *calls) startInGoroutine(c *runCall) {
	ctx, cancel := s.context(c)
	mailbox.Go(func() {
		defer cancel(nil)
		s.announce(c)
		if c.builtin != nil {
			v, failure := c.builtin(ctx, c)
			s.answer(c, v, failure)
			return
		}
		tool, err := s.resolve(ctx, c, toolscript.ConnectWait)
		if err != nil {
			s.fail(c, notMade(err))
			return
		}
		if s.plans(tool) {
			s.answerPlanned(ctx, c, tool)
			return
		}
		request := s.request(c, tool.ID())
		request.Waiting, request.Terminal, request.Asks = s.waiting(c, ctx.Done()), s.questions.terminal, s.questions.person
		raw, err := s.deps.Call(ctx, request)
		s.valued(ctx, c, tool, raw, err)
	}, func(err error) { s.fail(c, err) })
}

// context returns the context of a call that waits in a goroutine.
func (s *calls) context(c *runCall) (context.Context, context.CancelCauseFunc) {
	parent := s.ctx
	if c.Task {
		parent = context.WithoutCancel(parent)
	}
	ctx, cancel := context.WithCancelCause(c.held.In(parent))
	s.follow(c, cancel)
	return ctx, cancel
}

// timeLeft returns the time that the script has left. In a nested run it is at most the time of the caller. It is
// the longest duration if the script has no limit or is not in a sandbox yet.
func (s *calls) timeLeft() time.Duration {
	s.mu.Lock()
	begun := s.begun
	s.mu.Unlock()
	if begun.IsZero() || s.limits.TimeoutMs <= 0 {
		return math.MaxInt64
	}
	left := time.Duration(s.limits.TimeoutMs)*time.Millisecond - s.questions.clock.Since(begun)
	if s.within != nil {
		left = min(left, s.within.calls.timeLeft())
	}
	return left
}

// scriptBegins records the start of the script's time, which includes waited, the time that the run has waited for
// servers. A nested run uses the clock of its caller, but not the time for which that clock has been stopped before.
func (s *calls) scriptBegins(waited time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = time.Now().Add(-waited - s.questions.clock.Away())
}

// announce emits the start of a call, once.
func (s *calls) announce(c *runCall) {
	if c.begun.IsZero() {
		c.begun = time.Now()
		s.events.emit(s.begin(c))
	}
}

// resolve returns the tool of a call. If the tool is not in the catalog, resolve
// waits for the server that may have it.
func (s *calls) resolve(ctx context.Context, c *runCall, wait time.Duration) (toolscript.Tool, error) {
	if c.tool.Name != "" {
		return c.tool, nil
	}
	defer func(since time.Time) { c.connected = time.Since(since) }(time.Now())
	return s.deps.Resolve(ctx, c.ID, s.allow, wait)
}
