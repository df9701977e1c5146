package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/inflight"
)

// calls makes the tool calls of one run: those of the script (Begin) and those that
// arrive over HTTP with the capability of the run (Outside). It counts the budget,
// starts calls in the order of their arrival and at most limits.Concurrency at
// once, and keeps their records. It is safe for concurrent use: calls begin and end
// on the goroutines of the sandbox, and the run's actor reads the state when it
// needs it.
type calls struct {
	run       string
	ctx       context.Context // of the run
	deps      *Deps
	allow     toolscript.Filter
	limits    toolscript.Limits
	events    *emitter
	questions *elicitations
	tasks     *taskMemory
	settled   func() // called when the script has ended and no call is in flight any more

	mu        sync.Mutex
	over      bool // the script has ended
	admitted  int64
	completed int64
	outside   int64                   // calls over HTTP
	free      int64                   // how many more calls may start
	queue     []*call                 // in the order of arrival; some may have been dropped
	inFlight  map[string]*call        // queued and started calls, by CallID
	records   []toolscript.CallRecord // of started calls, in the order of their start
	cut       []string                // tools of calls that were cancelled by the end of the script
	answers   lastAnswers
}

// call is one call from its admission to its end.
type call struct {
	runner.Call
	tool   toolscript.Tool // the zero Tool for builtins and while the server is not connected
	answer answerFunc
	http   bool // it arrived over HTTP

	ctx    context.Context
	cancel context.CancelCauseFunc
	turn   chan struct{} // closed when the call may start

	// These fields are guarded by calls.mu.
	dropped bool
	record  int  // index in calls.records; -1: none yet
	kept    bool // counted in calls.tasks
}

// answerFunc returns the value that the script sees, or the error that it catches.
type answerFunc func(context.Context, *call) (json.RawMessage, *toolscript.ToolError)

var (
	errAborted = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run ended before the call was answered")}
	errStopped = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the task was stopped, because its run was aborted")}
)

// Begin implements runner.Host.
func (s *calls) Begin(ctx context.Context, rc runner.Call) runner.Pending {
	c := &call{Call: rc}
	if err := s.enter(ctx, c); err != nil {
		return runner.Refused(toolError(c.tool, c.ID, err))
	}
	if c.Task {
		return s.task(ctx, c)
	}
	return func() (json.RawMessage, *toolscript.ToolError) { return s.make(c) }
}

// Outside makes a call that arrived over HTTP. It returns the whole result.
func (s *calls) Outside(ctx context.Context, request toolscript.Call) (raw json.RawMessage, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(errAborted) })()
	c := &call{Call: runner.Call{ID: request.ID, Args: request.Args}, http: true}
	if err := s.enter(ctx, c); err != nil {
		return nil, err
	}
	request.CallID = c.CallID
	dropped := s.do(c, func(ctx context.Context) toolscript.Kind {
		if raw, err = s.callResolved(ctx, c, request); err != nil {
			return toolscript.KindOf(err)
		}
		return kindOfResult(raw)
	})
	if dropped != nil {
		return nil, dropped
	}
	return raw, err
}

func (s *calls) callResolved(ctx context.Context, c *call, request toolscript.Call) (json.RawMessage, error) {
	tool, err := s.resolve(ctx, c, request.Wait)
	if err != nil {
		return nil, err
	}
	request.ID = tool.ID()
	return s.deps.Call(ctx, request)
}

// enter admits a call and queues it: allow list, budget, and its place in the order.
func (s *calls) enter(ctx context.Context, c *call) error {
	if err := s.find(c); err != nil {
		return err
	}
	parent := ctx
	if c.Task {
		parent = context.WithoutCancel(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errAborted
	}
	if s.admitted >= s.limits.ToolCalls {
		return &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("the run has reached its limit of %d tool calls; allow more with --tool-calls", s.limits.ToolCalls),
		}
	}
	s.admitted++
	if c.http {
		s.outside++
		c.CallID = fmt.Sprintf("http_%d", s.outside)
	}
	c.ctx, c.cancel = context.WithCancelCause(parent)
	c.turn, c.record = make(chan struct{}), -1
	s.inFlight[c.CallID] = c
	s.queue = append(s.queue, c)
	s.startNext()
	return nil
}

// startNext starts queued calls. It is called with mu held.
func (s *calls) startNext() {
	for s.free > 0 && len(s.queue) > 0 {
		c := s.queue[0]
		s.queue = s.queue[1:]
		if !c.dropped {
			s.free--
			close(c.turn)
		}
	}
}

// make waits for the turn of a call and returns its answer.
func (s *calls) make(c *call) (v json.RawMessage, failure *toolscript.ToolError) {
	err := s.do(c, func(ctx context.Context) toolscript.Kind {
		if v, failure = c.answer(ctx, c); failure != nil {
			return failure.Code
		}
		return ""
	})
	if err != nil {
		return nil, toolError(c.tool, c.ID, err)
	}
	return v, failure
}

// do waits for the turn of a call and makes it with f. The error says that the call
// was cancelled before its turn.
func (s *calls) do(c *call, f func(context.Context) toolscript.Kind) error {
	defer c.cancel(nil)
	select {
	case <-c.turn:
	case <-c.ctx.Done():
	}
	if c.ctx.Err() != nil {
		s.drop(c)
		return aborted(c.ctx)
	}
	s.begin(c)
	begun, kind := time.Now(), toolscript.Internal
	defer func() { s.end(c, kind, ms(time.Since(begun))) }() // also after a panic
	kind = f(c.ctx)
	return nil
}

// aborted is the error of a call that was cancelled before its turn.
func aborted(ctx context.Context) error {
	if cancelledByScript(ctx) {
		return &toolscript.Error{Kind: toolscript.Cancelled, Err: runner.ErrCallCancelled}
	}
	return errAborted
}

// begin records the start of a call and emits it.
func (s *calls) begin(c *call) {
	s.mu.Lock()
	s.note(c)
	s.mu.Unlock()
	s.events.emit(toolscript.Event{Type: toolscript.EventCall, CallID: c.CallID, Tool: c.ID})
}

// note makes the record of a call, once. It is called with mu held.
func (s *calls) note(c *call) *toolscript.CallRecord {
	if c.record < 0 {
		c.record = len(s.records)
		s.records = append(s.records, toolscript.CallRecord{CallID: c.CallID, Tool: c.ID, Task: c.Task})
	}
	return &s.records[c.record]
}

// end records the end of a call, emits it and starts the next call.
func (s *calls) end(c *call, kind toolscript.Kind, took float64) {
	ok := kind == ""
	s.mu.Lock()
	s.close(c, kind, took)
	if kind != toolscript.Cancelled || cancelledByScript(c.ctx) {
		s.completed++
	}
	settled := s.over && len(s.inFlight) == 0
	s.mu.Unlock()
	s.events.emit(toolscript.Event{Type: toolscript.EventCallEnd, CallID: c.CallID, Tool: c.ID, OK: &ok, Ms: took})
	s.mu.Lock()
	s.free++ // after the event: with one call at a time, its end is emitted before the next start
	s.startNext()
	s.mu.Unlock()
	if settled {
		s.settled()
	}
}

// drop removes a call that was cancelled before its turn. A task that was listed as
// detached is recorded as cancelled.
func (s *calls) drop(c *call) {
	s.mu.Lock()
	s.dropLocked(c)
	settled := s.over && len(s.inFlight) == 0
	s.mu.Unlock()
	if settled {
		s.settled()
	}
}

func (s *calls) dropLocked(c *call) {
	if c.dropped {
		return
	}
	c.dropped = true
	select {
	case <-c.turn:
		s.free++
		s.startNext()
	default:
	}
	s.close(c, toolscript.Cancelled, 0)
}

// close removes a call from those in flight. It is called with mu held.
func (s *calls) close(c *call, kind toolscript.Kind, took float64) {
	delete(s.inFlight, c.CallID)
	if c.kept {
		s.tasks.release(len(c.Args))
	}
	if c.record >= 0 {
		ok, r := kind == "", &s.records[c.record]
		r.OK, r.Kind, r.Ms = &ok, kind, took
	}
	if kind == toolscript.Cancelled && c.ctx.Err() != nil && !c.Task && !c.http && !cancelledByScript(c.ctx) {
		s.cut = append(s.cut, c.ID)
	}
}

func cancelledByScript(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), runner.ErrCallCancelled)
}

// callTool answers a call with the value that the script sees.
func (s *calls) callTool(ctx context.Context, c *call) (json.RawMessage, *toolscript.ToolError) {
	tool, err := s.resolve(ctx, c, toolscript.ConnectWait)
	if err != nil {
		return nil, toolError(c.tool, c.ID, err)
	}
	ctx, release := hold(ctx, c)
	defer release()
	asking := asking{of: s.questions}
	raw, err := s.deps.Call(ctx, toolscript.Call{
		ID: tool.ID(), Args: c.Args, Wait: toolscript.ConnectWait, Run: s.run, CallID: c.CallID, Ask: asking.ask, Progress: s.progress(c),
	})
	if err != nil {
		return nil, asking.reason(tool, toolError(tool, tool.ID(), err))
	}
	if err := inflight.From(ctx).Take(ctx, len(raw)); err != nil { // value may have to make a copy
		return nil, toolError(tool, tool.ID(), err)
	}
	v, failure := value(tool, raw, func(schema, value json.RawMessage) bool { return s.deps.Fits(ctx, schema, value) })
	if failure == nil {
		s.mu.Lock()
		s.answers.note(tool.ID(), v, raw)
		s.mu.Unlock()
	}
	return v, asking.reason(tool, failure)
}

// hold counts the bytes of the answer until the sandbox has taken it. The caller
// calls release when it returns.
func hold(ctx context.Context, c *call) (held context.Context, release func()) {
	held, release = inflight.Hold(ctx)
	if c.After == nil || c.Task {
		return held, release
	}
	c.After(release)
	return held, func() {}
}

// resolve returns the tool of a call. If the tool is not in the catalog, resolve
// waits for the server that may have it.
func (s *calls) resolve(ctx context.Context, c *call, wait time.Duration) (toolscript.Tool, error) {
	if c.tool.Name != "" {
		return c.tool, nil
	}
	return s.deps.Resolve(ctx, c.ID, s.allow, wait)
}
