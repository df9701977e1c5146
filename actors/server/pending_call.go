package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// pendingCall is one call in flight. Each progress notification restarts its time limit. As a
// context it carries the values of the caller's context, and the id of the call.
type pendingCall struct {
	context.Context                  // context of the caller
	call            *Call            // not changed while it is in flight
	on              *open            // the connection that carries it
	of              *inFlight        // on.calls
	id              uint64           // unique in of
	about           toolscript.Error // names the server and the tool
	begun           time.Time
	reports         bool               // the connection is a reportsEnd
	keeps           keepsLimit         // the connection, if it implements keepsLimit; else nil
	span            toolscript.Span    // span of the request; nil if it is not recorded
	took            *mailbox.Durations // collects the duration of the request
	actor           bool               // the actor began the call
	limit           time.Duration
	told            time.Duration                // time limit that the connection gets with the call
	reply           func(json.RawMessage, error) // called once, by replied

	// Guarded by inFlight.mu.
	ends, latest time.Time
	paused       int              // number of elicitations that pause the time limit
	started      upstream.Started // nil before the connection has the call
	cause        error            // why the call was stopped
	answered     bool             // the caller has its reply, or another pendingCall will send it
	leave        func(error)      // ends the call that the actor makes, see park; nil before
	task         bool             // the server works on a task for the call
	over         []func()         // called after the answer
}

// Value implements context.Context.
func (c *pendingCall) Value(key any) any {
	if key == (callKey{}) {
		return c.id
	}
	return c.Context.Value(key)
}

// newCall returns a call for a connection. It is not in flight yet.
func newCall(m *Call, o *open, actor bool, reply func(json.RawMessage, error)) *pendingCall {
	c := &pendingCall{Context: m.Ctx, call: m, on: o, of: o.calls, about: toolscript.Error{Server: o.name, Tool: m.Tool}, actor: actor, reply: reply}
	_, c.reports = o.conn.(reportsEnd)
	if m.Fetch == nil {
		c.keeps, _ = o.conn.(keepsLimit)
	}
	return c
}

// begin takes a slot for the call, and a token of the rate limit. Only the actor gets a
// slot while calls wait in its queue.
func (c *pendingCall) begin() bool {
	f, m := c.of, c.call
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.generation != c.on.generation || f.queued && !c.actor {
		return false
	}
	now := time.Now()
	if len(f.calls) >= f.most || f.rate != nil && !f.rate.AllowN(now, 1) {
		f.queued = f.queued || c.actor // the actor gets a message when a slot is free
		return false
	}
	f.last++
	f.used = now
	m.Origin.Leave(now)
	c.id, c.begun, c.limit = f.last, now, cmp.Or(m.Limit, c.on.timeout)
	c.told = m.rest(c.limit, now)
	c.ends, c.latest = now.Add(c.told), now.Add(MaxCall)
	if c.took = &f.traffic.Durations; m.Fetch != nil {
		c.took = f.traffic.Fetches.of(m.Fetch.ID)
	}
	f.calls[c.id] = c
	f.arm(now, c.told)
	c.on.work.Begin()
	return true
}

// send makes the call on the connection. A panic of the connection ends the call.
func (c *pendingCall) send() {
	m, conn := c.call, c.on.conn
	defer rescue.Catch(func(p *rescue.Error) { c.returned(nil, named(p.Internal(), c.about)) })
	if err := m.due(); err != nil {
		c.returned(nil, unsent(named(err, c.about)))
		return
	}
	t := upstream.ToolCall{Ctx: c, Held: m.Held, Tool: m.own(), Args: m.Args, Run: m.Run, Key: m.Key, Trace: c.traced(m), Limit: c.told, Progress: c.progressed, Watch: m.Watch, Origin: m.Origin, Task: m.Task, Began: c.beganTask, Done: c.returned}
	var started upstream.Started
	if m.Fetch != nil {
		fetch := *m.Fetch
		fetch.Trace = t.Trace
		started = t.Go(func(ctx context.Context) (_ json.RawMessage, err error) {
			defer rescue.Into(&err)
			return conn.Fetch(ctx, fetch, c.progressed)
		})
	} else {
		started = conn.Start(t)
	}
	c.of.mu.Lock()
	c.started = started
	cause := c.cause
	c.of.mu.Unlock()
	if cause != nil { // stopped meanwhile
		c.cancel(started, cause)
	}
}

// returned takes the result of the connection and releases the slot. It does not block.
func (c *pendingCall) returned(result json.RawMessage, err error) {
	f := c.of
	f.mu.Lock()
	_, first := f.calls[c.id]
	delete(f.calls, c.id)
	f.used = time.Now()
	if first && c.on.generation == f.generation && isAnswer(err) {
		f.answers++
	}
	if err != nil {
		err = c.failed(err)
	}
	again := !c.answered && c.cause == nil && (c.call.Wait > 0 && errors.Is(err, upstream.ErrUnreachable) || mcpclient.TaskOf(err) != "" || c.call.mayVisit(err))
	wanted := first && f.queued
	f.mu.Unlock()
	if first {
		c.endSpan(result, err)
		took := time.Since(c.begun)
		c.took.Observe(took)
		if c.took == &f.traffic.Durations {
			f.traffic.Hour.Observe(time.Now(), took)
		}
	}
	if again {
		c.again(err)
	} else {
		c.replied(result, err)
	}
	if wanted {
		c.on.post(placeFree{})
	}
	if c.on.ages && c.call.Fetch == nil && isUnknownTool(result, err) {
		c.on.post(toolUnknown{c.on.generation})
	}
	if first {
		c.on.work.End()
	}
}

// failed completes the error of a connection. If the call was stopped, its cause replaces the
// error, unless the connection knows that the call was not sent. The caller holds mu.
func (c *pendingCall) failed(err error) error {
	if ended := c.Err(); ended != nil && toolscript.KindOf(err) == toolscript.Internal && errors.Is(err, ended) {
		err = named(mailbox.ContextError(c.Context), c.about)
	}
	sent := toolscript.SentOf(err)
	if errors.Is(err, upstream.ErrUnreachable) {
		sent = toolscript.SentNo
	}
	switch {
	case c.cause != nil && sent != toolscript.SentNo:
		err = named(c.cause, c.about)
	case c.cause != nil, c.call.Own != "":
		err = named(err, c.about)
	}
	return withSent(err, sent)
}

// stop ends a call for its caller, and asks the connection to end it. A cause without a
// kind gets the kind Cancelled. A caller that cancels the call of a tool in this process
// gets its reply when the tool has ended, see reportsEnd. A call that is made again gets the reply of
// its actor, which knows whether the call was sent. stop does not block.
func (c *pendingCall) stop(cause error) {
	if known := (*toolscript.Error)(nil); !errors.As(cause, &known) {
		cause = &toolscript.Error{Kind: toolscript.Cancelled, Err: cause}
	}
	f := c.of
	f.mu.Lock()
	if c.answered || c.cause != nil {
		f.mu.Unlock()
		return
	}
	c.cause = cause
	started, leave := c.started, c.leave
	f.mu.Unlock()
	if leave != nil {
		leave(cause)
		c.replyLate(cause)
		return
	}
	if p, is := started.(mcpclient.Printer); is {
		if text, failure := p.Printed(); failure {
			c.call.Origin.SetPrinted(strings.TrimPrefix(text, "; "))
		}
	}
	if started != nil {
		c.cancel(started, cause)
	}
	if c.reports && toolscript.KindOf(cause) == toolscript.Cancelled {
		c.replyLate(cause)
		return
	}
	c.replied(nil, c.unanswered(cause)) // even if the connection ignores it
}

// replyLate ends a stopped call if it has no reply after CancelTime.
func (c *pendingCall) replyLate(cause error) {
	late := time.AfterFunc(CancelTime, func() { c.replied(nil, c.unanswered(cause)) })
	c.whenOver(func() { late.Stop() })
}

// unanswered returns the error of a call that was stopped after it was handed to the connection.
func (c *pendingCall) unanswered(cause error) error {
	return withSent(named(cause, c.about), toolscript.SentUnknown)
}

// reportsEnd is a connection to tools that run in this process. Such a connection reports when
// a cancelled call has ended; MCP has no answer to a cancellation.
type reportsEnd interface{ ReportsEnd() }

// CancelTime is how long the caller of a tool in this process waits for its end after a
// cancellation. It is longer than the grace of a run, so a run knows which calls have not ended.
const CancelTime = time.Second

func (c *pendingCall) cancel(started upstream.Started, cause error) {
	started.Cancel(string(toolscript.KindOf(cause)), c.unanswered(cause))
}

// replied answers the caller, once.
func (c *pendingCall) replied(result json.RawMessage, err error) {
	first, over := c.settle()
	if first {
		c.reply(result, err)
	}
	for _, f := range over {
		f()
	}
}

// settle records that the caller needs no reply from this pendingCall. first is false if it was recorded before. The
// caller of settle calls over.
func (c *pendingCall) settle() (first bool, over []func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	first, over = !c.answered, c.over
	c.answered, c.over = true, nil
	return first, over
}

// whenOver calls f when the caller has its reply.
func (c *pendingCall) whenOver(f func()) {
	c.of.mu.Lock()
	answered := c.answered
	if !answered {
		c.over = append(c.over, f)
	}
	c.of.mu.Unlock()
	if answered {
		f()
	}
}
