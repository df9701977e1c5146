package session

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
)

// scriptCall is a call in flight.
type scriptCall struct {
	of       *Session
	id, tool string
	size     int
	answered atomic.Bool
}

// Call begins a tool call. size is the memory that the call holds, in bytes. While the calls
// of the run hold too much, Call waits: meanwhile the engine does not read from the process,
// so the script waits too. After the end of the run, Call does nothing. The id is a number. Call returns
// an error if the run had a call with this id.
//
// Call is not safe for concurrent use: the host begins calls in the order of the
// script.
func (s *Session) Call(c runner.Call, size int) error {
	if number, err := strconv.ParseUint(c.CallID, 10, 64); err != nil || !s.numbers.add(number) {
		return fmt.Errorf("a sandbox began call %.20q twice", c.CallID)
	}
	if !s.arguments.acquire(size, s.ctx.Done(), s.process.Done()) {
		return nil
	}
	if err := allArguments.Acquire(s.ctx, int64(size)); err != nil {
		s.arguments.release(size)
		return nil //nolint:nilerr // the run is over
	}
	if !s.enter() {
		allArguments.Release(int64(size))
		s.arguments.release(size)
		return nil
	}
	begun := &scriptCall{of: s, id: c.CallID, tool: c.ID, size: size}
	begun.begin(c)
	if s.ctx.Err() != nil { // cancelCalls may have run before the call began
		s.cancelCall(c.CallID, context.Cause(s.ctx))
	}
	return nil
}

func (c *scriptCall) begin(host runner.Call) {
	defer rescue.Catch(c.of.panicked("begin a call", func(error) { c.answer(runner.Answer{Failure: c.hostFailed()}) }))
	c.of.host.Begin(host, c.answer)
}

// answer ends the call with the answer of the host. Any goroutine may call it. If the process
// does not take the answer at once, another goroutine waits until it does.
func (c *scriptCall) answer(a runner.Answer) {
	if c.answered.Swap(true) { // the host panicked after its answer
		return
	}
	s := c.of
	rest := s.pass(c.bounded(a))
	if rest == nil {
		c.delivered(a.Release)
		return
	}
	go func() {
		defer c.delivered(a.Release)
		defer rescue.Catch(s.panicked("answer a call", s.Fail))
		rest()
	}()
}

func (s *Session) pass(a Answer) (rest func()) {
	defer rescue.Catch(s.panicked("answer a call", s.Fail))
	return s.options.Deliver(a)
}

func (c *scriptCall) delivered(release func()) {
	if release != nil {
		release()
	}
	allArguments.Release(int64(c.size))
	c.of.arguments.release(c.size)
	c.of.goroutines.Done()
}

// hostFailed returns the error for a call in which the host panicked.
func (c *scriptCall) hostFailed() *toolscript.ToolError {
	return &toolscript.ToolError{Tool: c.tool, Code: toolscript.Internal, Sent: toolscript.SentUnknown, Message: "the gateway failed in this call; its log says why"}
}
