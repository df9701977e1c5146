package server

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolscript/toolscript"
)

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

// endsCalls is a connection whose calls in flight outlive it: each call ends with its answer, or
// with an error when it cannot be answered any more. A hub that ends takes no new calls, and
// still answers the calls in flight.
type endsCalls interface{ EndsCalls() }

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

// Calls returns the calls in flight, in no particular order.
func (p *Port) Calls() []toolscript.CallEntry {
	o := p.current.Load()
	if o == nil {
		return nil
	}
	o.calls.mu.Lock()
	defer o.calls.mu.Unlock()
	all := make([]toolscript.CallEntry, 0, len(o.calls.calls))
	for _, c := range o.calls.calls {
		all = append(all, toolscript.CallEntry{
			Run: c.call.Run, CallID: c.call.ID, Server: c.about.Server, Tool: toolscript.Tool{Server: c.about.Server, Name: c.about.Tool}.ID(),
			Since: c.begun, State: toolscript.CallRunning, ArgsBytes: len(c.call.Args),
		})
	}
	return all
}
