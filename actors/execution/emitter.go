package execution

import (
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	// eventsAhead is how many events a run may be ahead of its client, before it
	// waits.
	eventsAhead = 4
	// patience is how long a run waits for its client, in all. It is enough for a
	// client that is busy; one that does not read holds no sandbox for longer.
	patience = 2 * time.Second
)

// emitter passes the events of one run on: in order, one at a time, Start first
// and End last and both exactly once, whoever emits. A slow client slows the run
// down for a while; from then on what the client has not taken waits in a file. A
// run that is over waits for nobody: what it has said is kept until the client
// takes it.
type emitter struct {
	id   string
	to   Emit
	lost func(error)   // called once, when nobody listens any more
	done chan struct{} // closed when the run has ended and the client knows it, or is gone

	mu      sync.Mutex
	changed *sync.Cond
	waiting []toolscript.Event // not yet taken
	spool   spool              // behind those
	after   []toolscript.Event // behind those: of a run that is over, when the spool takes no more
	blocked int                // calls of emit that wait for room
	since   time.Time          // since when some do
	left    time.Duration      // of the patience
	timer   *time.Timer        // ends it; nil while nobody waits
	free    bool               // nobody waits for room any more
	last    *toolscript.Event  // End
}

// newEmitter starts a goroutine, which lives until end has been called and the
// client has taken everything. dir is where a file is made for what waits.
func newEmitter(id, dir string, to Emit, lost func(error)) *emitter {
	e := &emitter{id: id, to: to, lost: lost, done: make(chan struct{}), spool: spool{dir: dir}, left: patience}
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
	for !e.place(event) {
		e.wait()
	}
	e.blocked--
	e.calm()
	e.changed.Broadcast()
}

// place puts an event behind all others, and reports whether there was room.
func (e *emitter) place(event toolscript.Event) bool {
	memory := e.spool.empty() && len(e.after) == 0
	switch {
	case memory && (len(e.waiting) < eventsAhead || e.free):
		e.waiting = append(e.waiting, event)
	case (!memory || e.left <= 0) && len(e.after) == 0 && e.spool.put(event) == nil:
	case e.free:
		e.after = append(e.after, event)
	default:
		return false
	}
	return true
}

// wait waits until there may be room, or the patience is over.
func (e *emitter) wait() {
	if e.timer == nil && e.left > 0 {
		e.since = time.Now()
		e.timer = time.AfterFunc(e.left, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.calm()
			e.changed.Broadcast()
		})
	}
	e.changed.Wait()
}

// calm ends a wait and counts it.
func (e *emitter) calm() {
	if e.timer == nil {
		return
	}
	e.timer.Stop()
	e.timer = nil
	e.left -= time.Since(e.since)
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
	defer e.spool.close()
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
	for len(e.waiting) == 0 && e.spool.empty() && len(e.after) == 0 && (e.last == nil || e.blocked > 0) {
		e.changed.Wait()
	}
	switch {
	case len(e.waiting) > 0:
		event, e.waiting = e.waiting[0], e.waiting[1:]
	case !e.spool.empty():
		event = e.spool.take()
	case len(e.after) > 0:
		event, e.after = e.after[0], e.after[1:]
	default:
		return *e.last, true
	}
	e.changed.Broadcast()
	return event, false
}

// pass calls the client's code, which may break.
func (e *emitter) pass(event toolscript.Event) (err error) {
	defer mailbox.Recover(&err)
	return e.to(event)
}
