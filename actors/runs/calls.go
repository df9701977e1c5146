package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/runner"
)

// calls makes the tool calls of one run: calls of the script (Begin), and calls that
// arrive over HTTP with the capability of the run (Outside). It counts the budget,
// starts calls in the order of their arrival and at most limits.Concurrency at
// once, and keeps their records. It is safe for concurrent use: the goroutine that
// reads from the sandbox begins calls, the goroutines that read from servers end them,
// and the run's actor reads the state.
type calls struct {
	*parts
	settled func()               // called when the script has ended and no call is in flight
	left    func() time.Duration // timeLeft, one value for all calls

	mu                  sync.Mutex
	over                bool // whether the script has ended
	admitted, completed int64
	begun               time.Time                   // start of the script's time, see scriptBegins
	free, outside       int64                       // how many more calls may start, and how many came over HTTP
	queue               []*runCall                  // in the order of arrival; some may have been dropped
	first               [1]*runCall                 // memory for a queue with one call
	starting            bool                        // a goroutine starts queued calls
	approved            []chan struct{}             // calls that wait for a turn after an approval
	inFlight            map[string]*runCall         // queued and started calls, by CallID
	records             []toolscript.CallRecord     // records of started calls, in the order of their start
	unfinished          []toolscript.UnfinishedCall // calls that the end of the script has cancelled
	answers             lastAnswers
	refused             []string // why questions of servers were refused, as notices
	proofs              map[string]proof
	plan                *plan // nil: every call is made
}

// runCall is one call from its admission to its end.
type runCall struct {
	runner.Call
	tool    toolscript.Tool // the zero Tool for builtins and while the server is not connected
	builtin answerFunc      // nil for the tools of servers
	turn    chan struct{}   // closed when a call over HTTP may start; nil for other calls
	held    budget.Held     // counts the bytes of the answer
	asking  asking
	times

	// These fields are guarded by calls.mu.
	done    func(runner.Answer) // passes the answer to the script; nil after the answer, and over HTTP
	stop    func(cause error)   // cancels the call in flight; nil before it is sent
	cause   error               // why the call was cancelled
	started bool                // the call has left the queue
	record  int                 // index in calls.records; -1 before it has a record
	kept    bool                // counted in calls.tasks
	shown   time.Time           // time of the last progress event
	late    *time.Timer         // ends a task of the script of an answer; may be nil
}

// Begin implements runner.Host.
func (s *calls) Begin(rc runner.Call, done func(runner.Answer)) {
	c := &runCall{Call: rc, done: done}
	if err := s.admit(c); err != nil {
		done(runner.Answer{Failure: toolError(c.tool, c.ID, notMade(err))})
		return
	}
	s.startNext()
}

// enter checks a call against the allow list, its key and the budget, and queues it.
func (s *calls) enter(c *runCall) error {
	if err := s.find(c); err != nil {
		return err
	}
	if err := c.checkKey(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errAborted
	}
	if err := s.count(); err != nil {
		return err
	}
	if c.turn != nil {
		s.outside++
		c.CallID = fmt.Sprintf("http_%d", s.outside)
	}
	c.record, c.asking.of, c.asked = -1, s.questions, time.Now()
	s.inFlight[c.CallID] = c
	s.queue = append(s.queue, c)
	return nil
}

// startNext starts queued calls in their order. Only one goroutine at a time does so. The caller
// does not hold mu.
func (s *calls) startNext() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.starting && s.free > 0 && len(s.queue) > 0 {
		c := s.queue[0]
		s.queue[0] = nil
		if len(s.queue) == 1 {
			s.queue = s.first[:0]
		} else {
			s.queue = s.queue[1:]
		}
		if s.inFlight[c.CallID] != c { // dropped
			continue
		}
		s.free--
		c.started = true
		s.note(c)
		s.starting = true
		s.mu.Unlock()
		s.start(c)
		s.mu.Lock()
		s.starting = false
	}
}

// start starts one call, without blocking.
func (s *calls) start(c *runCall) {
	defer rescue.Catch(s.panicked(c))
	switch {
	case c.turn != nil:
		close(c.turn)
	case !s.startNow(c):
		s.startInGoroutine(c)
	}
}

// panicked returns a function for rescue.Catch: a panic ends the call.
func (s *calls) panicked(c *runCall) func(*rescue.Error) {
	return func(p *rescue.Error) { s.fail(c, p.Internal()) }
}

func (s *calls) fail(c *runCall, err error) {
	s.answer(c, nil, toolError(c.tool, c.ID, err))
}

// startNow begins the call of a tool in this goroutine. It returns false if the goroutine would have to
// wait for the client, the server, the check of the arguments, or an earlier call with the same key.
func (s *calls) startNow(c *runCall) bool {
	if c.builtin != nil || c.tool.Name == "" || c.Key != "" || c.Task && s.detailed() || s.deps.Start == nil || s.plan != nil || !s.events.try(s.begin(c)) {
		return false
	}
	c.begun = time.Now()
	call := s.request(c, c.ID)
	stop, sent := s.deps.Start(&call, &c.tool, &c.held, func(raw json.RawMessage, err error) { s.returned(c, raw, err) })
	if sent {
		s.follow(c, stop)
	}
	return sent
}

// maxQuick bounds the answers that the goroutine that reads from the server examines itself, in
// bytes. Other calls of the server wait for it.
const maxQuick = 64 << 10

// returned receives the result of a call that startNow has made. It does not block.
func (s *calls) returned(c *runCall, raw json.RawMessage, err error) {
	defer rescue.Catch(s.panicked(c))
	switch {
	case errors.Is(err, ErrNotSent):
		s.startInGoroutine(c)
	case len(raw) > maxQuick || c.tool.OutputSchema != nil && (!hasStructured(raw) || s.proofOf(c.tool.ID()) == unproven):
		ctx, cancel := s.context(c)
		mailbox.Go(func() {
			defer cancel(nil)
			s.valued(ctx, c, c.tool, raw, err)
		}, func(err error) { s.fail(c, err) })
	default:
		s.valued(s.ctx, c, c.tool, raw, err)
	}
}

// follow keeps the function that cancels a call. If the call has been cancelled before,
// follow calls it.
func (s *calls) follow(c *runCall, stop func(error)) {
	s.mu.Lock()
	c.stop = stop
	cause := c.cause
	s.mu.Unlock()
	if cause != nil {
		stop(cause)
	}
}

// valued ends a call with the value of its result.
func (s *calls) valued(ctx context.Context, c *runCall, tool toolscript.Tool, raw json.RawMessage, err error) {
	if err == nil && len(raw) > maxQuick {
		err = toolscript.WithSent(c.held.Take(ctx, len(raw)), toolscript.SentYes) // value may have to make a copy
	}
	if err != nil {
		s.answer(c, nil, c.asking.reason(tool, toolError(tool, tool.ID(), err)))
		return
	}
	v, failure := value(tool, raw, func(schema, value json.RawMessage) bool { return s.deps.Fits(ctx, schema, value) })
	if failure == nil {
		s.prove(ctx, tool, v)
		id := c.ID
		if c.tool.Name == "" { // the tool was not known at the start
			id = tool.ID()
		}
		s.mu.Lock()
		s.answers.note(id, v.value, raw)
		s.mu.Unlock()
	}
	s.end(c, located(c, tool, v, raw), c.asking.reason(tool, failure))
}

// answer ends a call of the script.
func (s *calls) answer(c *runCall, v json.RawMessage, failure *toolscript.ToolError) {
	s.end(c, outcome{value: v}, failure)
}

func (s *calls) end(c *runCall, v outcome, failure *toolscript.ToolError) {
	var how ending
	if failure != nil {
		how = endingOf(failure.Code, failure.Sent)
	}
	s.finish(c, runner.Answer{Value: v.value, Content: v.content, Failure: failure, Release: c.held.ToRelease()}, how)
}

// finish records the end of a call, emits it, delivers the answer and starts the next
// call. It does not block.
func (s *calls) finish(c *runCall, a runner.Answer, how ending) {
	a.Failure = s.deps.cleanFailure(c.tool.Server, a.Failure)
	var took float64
	if !c.begun.IsZero() {
		took = ms(time.Since(c.begun))
	}
	s.mu.Lock()
	if s.inFlight[c.CallID] != c { // the call panicked after its end
		s.mu.Unlock()
		return
	}
	s.close(c, how, took)
	s.explain(c, a.Failure)
	if how.kind != toolscript.Cancelled || c.cancelledByScript() {
		s.completed++
	}
	settled := s.over && len(s.inFlight) == 0
	s.mu.Unlock()
	event := s.details(c, a, toolscript.Event{Type: toolscript.EventCallEnd, CallID: c.CallID, Tool: c.ID, OK: okay(how.kind), Sent: how.sent, Ms: took})
	if s.events.try(event) {
		s.finished(c, a, settled)
		return
	}
	mailbox.Go(func() {
		s.events.emit(event)
		s.finished(c, a, settled)
	}, func(error) {}) // emit recovers panics of the client's code
}

// finished delivers the answer and starts the next call. It runs after the event of the end, so
// that with one call at a time, this event precedes the start of the next call.
func (s *calls) finished(c *runCall, a runner.Answer, settled bool) {
	s.giveTurn()
	s.deliver(c, a)
	s.startNext()
	if settled {
		s.settled()
	}
}

// deliver passes the answer of a call to the script, once.
func (s *calls) deliver(c *runCall, a runner.Answer) {
	s.mu.Lock()
	done := c.done
	c.done = nil
	s.mu.Unlock()
	switch {
	case done != nil:
		done(a)
	case a.Release != nil:
		a.Release()
	}
}
