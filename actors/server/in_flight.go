package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

// call is one call in flight. Each progress notification restarts its time limit.
type call struct {
	id         uint64
	generation uint64           // of the connection that carries the call
	about      toolscript.Error // names the server and the tool
	run        string
	ask        func(context.Context, toolscript.Question) (toolscript.Answer, error) // nil if no user can be asked

	ctx    context.Context // ends with the caller's context or the time limit
	cancel context.CancelCauseFunc
	of     *inFlight
	limit  time.Duration

	// Guarded by inFlight.mu.
	ends   time.Time
	paused int // number of elicitations that pause the time limit
}

// inFlight holds the calls in flight on one server. The actor and the goroutines of
// callers can begin calls. It is safe for concurrent use.
type inFlight struct {
	mu         sync.Mutex
	most       int
	generation uint64 // of the connection; 0 if there is none
	last       uint64
	calls      map[uint64]*call
	queued     bool        // calls wait in the actor's queue; free slots are reserved for them
	answers    uint64      // requests answered on this connection, except pings
	timer      *time.Timer // fires when a call may have reached its time limit; nil if there is none
	due        time.Time   // when timer fires
}

// begin takes a slot for a call. Only the actor gets a slot while calls wait in its
// queue.
func (f *inFlight) begin(m Call, about toolscript.Error, limit time.Duration, generation uint64, actor bool) (*call, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.generation != generation || f.queued && !actor {
		return nil, false
	}
	if len(f.calls) >= f.most {
		f.queued = f.queued || actor // the next free slot is announced
		return nil, false
	}
	f.last++
	c := &call{id: f.last, generation: generation, about: about, run: m.Run, ask: m.Ask, of: f, limit: limit, ends: time.Now().Add(limit)}
	c.ctx, c.cancel = context.WithCancelCause(context.WithValue(m.Ctx, callKey{}, c.id))
	f.calls[c.id] = c
	f.arm(limit)
	return c, true
}

// end releases the slot of a call. It returns true if calls wait in the actor's
// queue.
func (f *inFlight) end(c *call, err error) (wanted bool) {
	c.cancel(nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.calls, c.id)
	if c.generation == f.generation && isAnswer(err) {
		f.answers++
	}
	return f.queued
}

// wait sets whether calls wait in the actor's queue.
func (f *inFlight) wait(queued bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queued = queued
}

// room reports whether a slot is free. Otherwise the next free slot is announced.
func (f *inFlight) room() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queued = true
	return len(f.calls) < f.most
}

// open sets the generation of a new connection. Generation 0 ends the current one.
func (f *inFlight) open(generation uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.generation, f.answers = generation, 0
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
func (f *inFlight) all() []*call {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]*call, 0, len(f.calls))
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

// arm is called with mu held. One timer serves all calls. It may fire early; expire
// then arms it again.
func (f *inFlight) arm(after time.Duration) {
	due := time.Now().Add(after)
	if f.timer != nil && !due.Before(f.due) {
		return
	}
	if f.timer != nil {
		f.timer.Stop()
	}
	f.timer, f.due = time.AfterFunc(after, f.expire), due
}

// expire cancels the calls that have reached their time limit.
func (f *inFlight) expire() {
	f.mu.Lock()
	var late []*call
	next, now := time.Duration(0), time.Now()
	for _, c := range f.calls {
		switch left := c.ends.Sub(now); {
		case c.paused > 0:
		case left <= 0:
			late = append(late, c)
		case next == 0 || left < next:
			next = left
		}
	}
	if f.timer = nil; next > 0 {
		f.arm(next)
	}
	f.mu.Unlock()
	for _, c := range late {
		c.cancel(c.timeout())
	}
}

func (c *call) timeout() error {
	about := c.about
	about.Kind = toolscript.Timeout
	about.Err = fmt.Errorf(`no answer and no progress within %s; a longer "timeout" can be set for the server in .toolscript.json`, c.limit)
	return &about
}

// progressed restarts the time limit. It may be called from any goroutine.
func (c *call) progressed() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.ends = time.Now().Add(c.limit)
}

// pause stops the time limit. resume restarts it from zero.
func (c *call) pause() (resume func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.paused++
	return func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.paused--
		c.ends = time.Now().Add(c.limit)
		c.of.arm(c.limit)
	}
}
