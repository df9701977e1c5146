package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// MaxCall bounds a call whose caller sets no deadline. The time limit of the server,
// which progress restarts, ends most calls long before.
const MaxCall = time.Hour

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

// inFlight holds the calls in flight on one server. The actor and the goroutines of
// callers can begin calls. It is safe for concurrent use.
type inFlight struct {
	traffic *Traffic
	tracer  toolscript.Tracer // nil: no spans are recorded
	network []toolscript.Attribute

	mu         sync.Mutex
	most       int
	rate       *rate.Limiter // each call takes a token; nil: no limit
	generation uint64        // generation of the connection; 0 without a connection
	last       uint64
	calls      map[uint64]*pendingCall
	parked     map[*pendingCall]struct{} // see park
	ended      bool                      // the actor has ended
	queued     bool                      // calls wait in the actor's queue; free slots are reserved for them
	used       time.Time                 // when a call began or ended, or the connection was opened
	answers    uint64                    // requests answered on this connection, except pings
	timer      *time.Timer               // fires when a call may have reached its time limit; nil without calls
	due        time.Time                 // when timer fires
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
	t := upstream.ToolCall{Ctx: c, Held: m.Held, Tool: m.own(), Args: m.Args, Run: m.Run, Key: m.Key, Trace: c.traced(m), Limit: c.told, Progress: c.progressed, Watch: m.Watch, Origin: m.Origin, Task: m.task, Began: c.beganTask, Done: c.returned}
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

// keepsLimit is a connection whose other side applies the time limits of tool calls, because
// it knows when a call has its turn. KeepsLimit asks after the time limit of a call whether
// the other side still applies it. KeepsLimit returns when ctx ends.
type keepsLimit interface {
	KeepsLimit(ctx context.Context, started upstream.Started) bool
}

const (
	// confirmTime bounds one KeepsLimit.
	confirmTime = 700 * time.Millisecond
	// confirmEvery is the time until KeepsLimit is called again.
	confirmEvery = time.Second
)

// endsCalls is a connection whose calls in flight outlive it: each call ends with its answer, or
// with an error when it cannot be answered any more. A hub that ends takes no new calls, and
// still answers the calls in flight.
type endsCalls interface{ EndsCalls() }

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

// settle notes that the caller needs no reply from this pendingCall any more. first is false if
// that is known already. The caller of settle calls over.
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

// wait sets whether calls wait in the actor's queue.
func (f *inFlight) wait(queued bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queued = queued
}

// room reports whether a slot and a token are free. If not, the actor gets a message when
// a slot is free. If only a token is missing, token is the time until the bucket has one.
func (f *inFlight) room() (free bool, token time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queued = true
	if len(f.calls) >= f.most {
		return false, 0
	}
	token = f.lacks(1)
	return token == 0, token
}

// open sets the generation of a new connection. Generation 0 ends the current one.
func (f *inFlight) open(generation uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.generation, f.answers, f.used = generation, 0, time.Now()
}

// usedSince reports whether a call has begun or ended after a time.
func (f *inFlight) usedSince(t time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls) > 0 || f.used.After(t)
}

func (f *inFlight) setMost(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.most = n
}

func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// all returns a snapshot of the calls.
func (f *inFlight) all() []*pendingCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]*pendingCall, 0, len(f.calls))
	for _, c := range f.calls {
		all = append(all, c)
	}
	return all
}

// otherAnswer counts an answer to a request that is neither a ping nor a call.
func (f *inFlight) otherAnswer(err error) {
	if isAnswer(err) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.answers++
	}
}

func (f *inFlight) answered() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.answers
}

// isAnswer reports whether an error, or nil, means that the server has answered.
func isAnswer(err error) bool {
	switch toolscript.KindOf(err) {
	case "", toolscript.ToolFailed, toolscript.TooLarge, toolscript.Forbidden:
		return true
	default:
		return false
	}
}

// arm sets the timer, which all calls share. The timer may fire early; expire then arms it
// again. The caller holds mu.
func (f *inFlight) arm(now time.Time, after time.Duration) {
	due := now.Add(after)
	if f.timer != nil && !due.Before(f.due) {
		return
	}
	if f.timer != nil {
		f.timer.Stop()
	}
	f.timer, f.due = time.AfterFunc(after, f.expire), due
}

// expire stops the calls that have reached their time limit.
func (f *inFlight) expire() {
	f.mu.Lock()
	var late, asked []*pendingCall
	next, now := time.Duration(0), time.Now()
	for _, c := range f.calls {
		left := c.latest.Sub(now)
		if c.paused == 0 {
			left = min(left, c.ends.Sub(now))
		}
		switch {
		case left <= 0 && c.keeps != nil && c.started != nil && c.latest.After(now):
			c.ends = now.Add(MaxCall) // until confirm is done
			asked = append(asked, c)
		case left <= 0:
			late = append(late, c)
		case next == 0 || left < next:
			next = left
		}
	}
	if f.timer = nil; next > 0 {
		f.arm(now, next)
	}
	f.mu.Unlock()
	for _, c := range asked {
		go c.confirm()
	}
	for _, c := range late {
		c.stop(c.timeout())
	}
}

// confirm ends a call that has reached its time limit, unless the other side of the connection
// confirms that it applies the limit. A process that hangs does not confirm it.
func (c *pendingCall) confirm() {
	ctx, cancel := context.WithTimeout(context.Background(), confirmTime)
	defer cancel()
	kept := make(chan bool, 1)
	go func() {
		defer rescue.Ignore() // a panic does not confirm
		kept <- c.keeps.KeepsLimit(ctx, c.started)
	}()
	select {
	case keeps := <-kept:
		if keeps {
			c.extend(confirmEvery)
			return
		}
	case <-ctx.Done():
	}
	c.stop(c.timeout())
}

// extend sets the end of the call to by from now.
func (c *pendingCall) extend(by time.Duration) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.ends = time.Now().Add(by)
	c.of.arm(time.Now(), by)
}

func (c *pendingCall) timeout() error {
	c.of.mu.Lock()
	started := c.started
	c.of.mu.Unlock()
	about := c.about
	about.Kind = toolscript.Timeout
	about.Err = fmt.Errorf("no answer and no progress within %s; %s%s", c.limit, toolscript.UnknownOutcome, mcpclient.Unanswered(started))
	return &about
}

// progressed restarts the time limit. It may be called from any goroutine.
func (c *pendingCall) progressed() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.ends = time.Now().Add(c.limit)
}

// pause stops the time limit. resume restarts it from zero.
func (c *pendingCall) pause() (resume func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.paused++
	return func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.paused--
		c.ends = time.Now().Add(c.limit)
		c.of.arm(time.Now(), c.limit)
	}
}
