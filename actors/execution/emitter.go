package execution

import (
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	// eventsAhead is how many events a run may be ahead of its client, before it
	// waits, and newsAhead how many that are no more than news.
	eventsAhead = 4
	newsAhead   = 64
	// lateness is how long news is held back, so that what is told of many quick
	// calls goes out, and wakes who passes it on and the client, together.
	lateness = 10 * time.Millisecond
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
	heavy   int                // those of them that are not news
	due     bool               // they are to be taken now; news alone is not, for a while
	late    *time.Timer        // ends that; nil while there is none
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
		if !e.due { // once: two who wait would wake each other without end
			e.hurry()
		}
		e.wait()
	}
	e.blocked--
	e.calm()
	if news(event) && e.last == nil {
		e.linger()
		return
	}
	e.hurry()
}

// news reports whether nobody waits for an event: it may be late.
func news(event toolscript.Event) bool {
	return event.Type == toolscript.EventCall || event.Type == toolscript.EventCallEnd
}

// hurry has what waits taken now. Nothing is due when nothing waits: what comes
// next would wait for good.
func (e *emitter) hurry() {
	e.due = !e.empty()
	if e.late != nil {
		e.late.Stop()
		e.late = nil
	}
	e.changed.Broadcast()
}

// linger has it taken in a while.
func (e *emitter) linger() {
	if e.due || e.late != nil {
		return
	}
	e.late = time.AfterFunc(lateness, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.hurry()
	})
}

// place puts an event behind all others, and reports whether there was room.
func (e *emitter) place(event toolscript.Event) bool {
	memory, room := e.spool.empty() && len(e.after) == 0, e.heavy < eventsAhead
	if news(event) {
		room = len(e.waiting) < newsAhead
	}
	switch {
	case memory && (room || e.free):
		e.waiting = append(e.waiting, event)
		e.weigh(event, 1)
	case (!memory || e.left <= 0) && len(e.after) == 0 && e.spool.put(event) == nil:
	case e.free:
		e.after = append(e.after, event)
	default:
		return false
	}
	return true
}

// weigh counts an event of those that wait.
func (e *emitter) weigh(event toolscript.Event, n int) {
	if !news(event) {
		e.heavy += n
	}
}

// wait waits until there may be room, or the patience is over.
func (e *emitter) wait() {
	if e.timer == nil && e.left > 0 {
		e.since = time.Now()
		e.timer = time.AfterFunc(e.left, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.calm()
		})
	}
	e.changed.Wait()
}

// calm ends a wait and counts it. Who still waits does so anew, with what is left.
func (e *emitter) calm() {
	if e.timer == nil {
		return
	}
	e.timer.Stop()
	e.timer = nil
	e.left -= time.Since(e.since)
	e.changed.Broadcast()
}

// release lets everybody go on who waits in emit, now and from now on: the run
// is over, or about to be.
func (e *emitter) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = true
	e.hurry()
}

// end emits the last event, unless there is one, and does not wait for the
// client.
func (e *emitter) end(end toolscript.End) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = true
	if e.last == nil {
		event := toolscript.EndEvent(e.id, end)
		e.last = &event
	}
	e.hurry()
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
	for !e.ready() {
		e.changed.Wait()
	}
	switch {
	case len(e.waiting) > 0:
		event, e.waiting = e.waiting[0], e.waiting[1:]
		e.weigh(event, -1)
	case !e.spool.empty():
		event = e.spool.take()
	case len(e.after) > 0:
		event, e.after = e.after[0], e.after[1:]
	default:
		return *e.last, true
	}
	e.due = !e.empty()
	e.changed.Broadcast()
	return event, false
}

// ready reports whether there is an event to take.
func (e *emitter) ready() bool {
	if e.empty() {
		return e.last != nil && e.blocked == 0
	}
	return e.due
}

// empty reports whether all but the last event have been taken.
func (e *emitter) empty() bool {
	return len(e.waiting) == 0 && e.spool.empty() && len(e.after) == 0
}

// pass calls the client's code, which may break.
func (e *emitter) pass(event toolscript.Event) (err error) {
	defer mailbox.Recover(&err)
	return e.to(event)
}
