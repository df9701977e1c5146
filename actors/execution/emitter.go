package execution

import (
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// eventsAhead is how many events a run may be ahead of its client.
const eventsAhead = 4

// emitter passes the events of one run on: in order, one at a time, Start first
// and End last and both exactly once, whoever emits. While the run is under way
// a slow client slows it down. A run that is over waits for nobody: what it has
// said is kept until the client takes it.
type emitter struct {
	id   string
	to   Emit
	lost func(error)   // called once, when nobody listens any more
	done chan struct{} // closed when the run has ended and the client knows it, or is gone

	mu      sync.Mutex
	changed *sync.Cond
	waiting []toolscript.Event // not yet taken
	blocked int                // calls of emit that wait for room
	free    bool               // nobody waits for room any more
	last    *toolscript.Event  // End
}

// newEmitter starts a goroutine, which lives until end has been called and the
// client has taken everything.
func newEmitter(id string, to Emit, lost func(error)) *emitter {
	e := &emitter{id: id, to: to, lost: lost, done: make(chan struct{})}
	e.changed = sync.NewCond(&e.mu)
	mailbox.Go(e.deliver, func(error) {}) // the client's code is the only one that may break, and is guarded
	return e
}

// emit waits while the client is too far behind. After the end it does nothing.
func (e *emitter) emit(event toolscript.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last != nil {
		return
	}
	e.blocked++ // the last event waits for this one
	for len(e.waiting) >= eventsAhead && !e.free {
		e.changed.Wait()
	}
	e.blocked--
	e.waiting = append(e.waiting, event)
	e.changed.Broadcast()
}

// release lets everybody go on who waits in emit, now and from now on: the run
// is over, or about to be.
func (e *emitter) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = true
	e.changed.Broadcast()
}

// end emits the last event, unless there is one, and does not wait for the
// client.
func (e *emitter) end(end toolscript.End) {
	e.release()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		event := toolscript.EndEvent(e.id, end)
		e.last = &event
	}
	e.changed.Broadcast()
}

// deliver hands events to the client until the last one.
func (e *emitter) deliver() {
	defer close(e.done)
	gone := false
	for {
		event, last := e.next()
		if !gone {
			if err := e.pass(event); err != nil {
				gone = true
				e.release()
				e.lost(err)
			}
		}
		if last {
			return
		}
	}
}

// next waits for an event and takes it.
func (e *emitter) next() (event toolscript.Event, last bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.waiting) == 0 && (e.last == nil || e.blocked > 0) {
		e.changed.Wait()
	}
	if len(e.waiting) == 0 {
		return *e.last, true
	}
	event, e.waiting = e.waiting[0], e.waiting[1:]
	e.changed.Broadcast()
	return event, false
}

// pass calls the client's code, which may break.
func (e *emitter) pass(event toolscript.Event) (err error) {
	defer mailbox.Recover(&err)
	return e.to(event)
}
