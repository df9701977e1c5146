package session

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// Answer is the end of a tool call: the value that the script sees, or the error
// that it catches.
type Answer struct {
	CallID  string
	Value   json.RawMessage
	Failure *toolscript.ToolError
}

// Call makes one tool call. size is what the call holds in memory, in bytes. While
// the calls of the run hold too much, Call waits: then the engine does not read
// the process, and its script waits in the call. After the end of the run Call
// does nothing. deliver passes the answer on; each call has one. The error says
// that a call of this id is in flight.
//
// Call is not safe for concurrent use: the host begins calls in the order of the
// script.
func (s *Session) Call(c runner.Call, size int, deliver func(Answer)) error {
	if !s.arguments.acquire(size, s.ctx.Done(), s.process.Done()) {
		return nil
	}
	if err := allArguments.Acquire(s.ctx, int64(size)); err != nil {
		s.arguments.release(size)
		return nil //nolint:nilerr // the run is over
	}
	ctx, done, err := s.calls.add(s.ctx, c.CallID)
	if err != nil {
		allArguments.Release(int64(size))
		s.arguments.release(size)
		return err
	}
	var after releases
	c.After = after.add
	pending := s.begin(ctx, c)
	release := func() {
		after.run()
		allArguments.Release(int64(size))
		s.arguments.release(size)
	}
	if !s.start(func() {
		defer release()
		answer := s.wait(c, pending)
		done()
		deliver(answer)
	}) { // the run has ended meanwhile
		done()
		release()
	}
	return nil
}

// releases are what the host does when an answer has been delivered.
type releases struct {
	mu   sync.Mutex
	all  []func()
	done bool
}

func (r *releases) add(release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		release()
		return
	}
	r.all = append(r.all, release)
}

func (r *releases) run() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	for _, release := range r.all {
		release()
	}
}

// CancelCall cancels a call for its script. A call that has ended is no error: the
// two messages may have crossed.
func (s *Session) CancelCall(callID string) { s.calls.cancel(callID) }

func (s *Session) begin(ctx context.Context, c runner.Call) (pending runner.Pending) {
	if err := Contain(s.options.Log, "begin a call of run "+s.job.RunID, func() { pending = s.host.Begin(ctx, c) }); err != nil {
		return runner.Refused(hostFailed(c))
	}
	return pending
}

func (s *Session) wait(c runner.Call, pending runner.Pending) Answer {
	answer := Answer{CallID: c.CallID}
	err := Contain(s.options.Log, "make a call of run "+s.job.RunID, func() { answer.Value, answer.Failure = pending() })
	switch size := len(answer.Value); {
	case err != nil:
		answer.Value, answer.Failure = nil, hostFailed(c)
	case answer.Failure != nil:
		answer.Value = nil
	case size > s.options.MaxAnswer:
		answer.Value, answer.Failure = nil, scripterror.AnswerTooLong(c.ID, size, s.options.MaxAnswer)
	}
	return answer
}

// hostFailed is what a script catches of a call in which the host panicked.
func hostFailed(c runner.Call) *toolscript.ToolError {
	return &toolscript.ToolError{Tool: c.ID, Code: toolscript.Internal, Message: "the gateway failed in this call; its log says why"}
}

// calls are the calls in flight, by their ids. The zero value holds none.
type calls struct {
	mu   sync.Mutex
	byID map[string]context.CancelCauseFunc
}

// add returns the context of a call. done is called when the call has ended.
func (c *calls) add(parent context.Context, callID string) (ctx context.Context, done func(), err error) {
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

func (c *calls) cancel(callID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.byID[callID]; cancel != nil {
		cancel(runner.ErrCallCancelled)
	}
}
