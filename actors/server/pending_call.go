package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	paused       int                // number of elicitations that pause the time limit
	started      upstream.Started   // nil before the connection has the call
	cause        error              // why the call was stopped
	answered     bool               // the caller has its reply, or another pendingCall will send it
	leave        func(error)        // ends the call that the actor makes, see park; nil before
	task         bool               // the server works on a task for the call
	over         map[*func()]func() // called after the answer
}

// Start makes the same call as the message Call, without Fetch and Reply, and does not block. done receives the
// result once, in any goroutine, and does not block. stop cancels the call; the end of m.Ctx cancels it only while
// it waits for a slot. m must not change before the result. If ok is false, the caller must send the message: there
// is no connection, or the review holds the tool.
func (p *Port) Start(m *Call, done func(json.RawMessage, error)) (stop func(cause error), ok bool) {
	o := p.current.Load()
	if o == nil || o.review.Holds(m.own()) { // the actor says why
		return nil, false
	}
	c := newCall(m, o, false, done)
	if c.begin() {
		c.send()
		return c.stop, true
	}
	waiting, ok := c.park()
	if !ok {
		return nil, false
	}
	m.Origin.Queue(time.Now())
	o.post(waiting)
	return c.stop, true
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
func (c *pendingCall) settle() (first bool, over map[*func()]func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	first, over = !c.answered, c.over
	c.answered, c.over = true, nil
	return first, over
}
