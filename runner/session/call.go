package session

import (
	"context"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
)

// scriptCall is a call in flight.
type scriptCall struct {
	of       *Session
	id, tool string
	size     int
}

// Call begins a tool call. size is the memory that the call holds, in bytes. While the calls
// of the run hold too much, Call waits: meanwhile the engine does not read from the process,
// so the script waits too. After the end of the run, Call does nothing. It returns an error
// if a call with this id is in flight.
//
// Call is not safe for concurrent use: the host begins calls in the order of the
// script.
func (s *Session) Call(c runner.Call, size int) error {
	if !s.arguments.acquire(size, s.ctx.Done(), s.process.Done()) {
		return nil
	}
	if err := allArguments.Acquire(s.ctx, int64(size)); err != nil {
		s.arguments.release(size)
		return nil //nolint:nilerr // the run is over
	}
	begun := &scriptCall{of: s, id: c.CallID, tool: c.ID, size: size}
	if added, err := s.add(begun); err != nil || !added {
		allArguments.Release(int64(size))
		s.arguments.release(size)
		return err
	}
	begun.begin(c)
	if s.ctx.Err() != nil { // cancelCalls may have run before the call was added
		s.cancelCall(c.CallID, context.Cause(s.ctx))
	}
	return nil
}

func (c *scriptCall) begin(host runner.Call) {
	defer rescue.Catch(c.of.panicked("begin a call", func(error) { c.answer(runner.Answer{Failure: c.hostFailed()}) }))
	c.of.host.Begin(host, c.answer)
}

// add registers a call. It returns false after Close.
func (s *Session) add(c *scriptCall) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[c.id] != nil {
		return false, fmt.Errorf("a sandbox began call %s twice", c.id)
	}
	if s.over {
		return false, nil
	}
	s.calls[c.id] = c
	s.goroutines.Add(1)
	return true, nil
}

// answer ends the call with the answer of the host. Any goroutine may call it. If the process
// does not take the answer at once, another goroutine waits until it does.
func (c *scriptCall) answer(a runner.Answer) {
	s := c.of
	s.mu.Lock()
	first := s.calls[c.id] == c
	delete(s.calls, c.id)
	s.mu.Unlock()
	if !first { // the host panicked after its answer
		return
	}
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
