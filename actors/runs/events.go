package runs

import (
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/rescue"
)

const (
	// eventsAhead is how many events may wait for the client before the run is delayed. callEventsAhead is the same
	// bound for events of calls, and detailsAhead for events of calls with arguments and results.
	eventsAhead     = 4
	callEventsAhead = 256
	detailsAhead    = 64
	// maxDelay is how long events of calls are held back, so that the events of many quick
	// calls reach the client together.
	maxDelay = 10 * time.Millisecond
	// maxWait bounds the total time that a run waits for its client. A busy client needs less. A client that does
	// not read occupies a sandbox no longer than this.
	maxWait = 2 * time.Second
)

// emitter passes the events of one run to the client in order, one at a time: Start
// first and End last, both once. A slow client delays the run up to maxWait; then the
// events that the client has not taken wait in a file. The end of a run does not wait
// for the client. It is safe for concurrent use.
type emitter struct {
	id    string
	to    Emit
	clean func(toolscript.Event) toolscript.Event // removes secrets; nil: events stay unchanged
	lost  func(error)                             // called once, when the client has gone
	done  chan struct{}                           // closed when the client has received the last event or has gone

	mu      sync.Mutex
	changed *sync.Cond
	waiting []toolscript.Event // events that the client has not received; the first taken elements are already delivered
	taken   int
	others  int                // the number of events in waiting that are not events of calls
	due     bool               // the events are delivered now, even if all are events of calls
	delay   *time.Timer        // sets due; nil: not running
	spool   spool              // the events after waiting
	after   []toolscript.Event // the events after spool, if the run has ended and the spool is full
	blocked int                // calls of emit that wait
	since   time.Time          // start of the wait
	left    time.Duration      // unused part of maxWait
	timer   *time.Timer        // ends the wait; nil: no call waits
	free    bool               // calls of emit no longer wait
	last    *toolscript.Event  // the End event
}

// newEmitter starts a goroutine, which ends when the client has taken the last event.
// dir is the folder of the spool.
func newEmitter(id, dir string, to Emit, lost func(error)) *emitter {
	e := &emitter{id: id, to: to, lost: lost, done: make(chan struct{}), spool: spool{dir: dir}, left: maxWait}
	e.changed = sync.NewCond(&e.mu)
	mailbox.Go(e.deliver, func(error) {}) // pass recovers panics of the client's code
	return e
}

// emit adds an event. It waits while too many events wait for the client. After the end
// it does nothing.
func (e *emitter) emit(event toolscript.Event) {
	if e.clean != nil {
		event = e.clean(event)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last != nil {
		return
	}
	e.blocked++ // the last event must follow this event
	for !e.place(event) {
		if !e.due { // only once: two waiting calls would wake each other for ever
			e.flush()
		}
		e.wait()
	}
	e.blocked--
	e.placed(event)
}

// try adds an event of a call if emit would not wait. Otherwise it returns false.
func (e *emitter) try(event toolscript.Event) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last != nil {
		return true
	}
	if e.blocked > 0 || !e.spool.empty() || !e.place(event) {
		return false
	}
	e.placed(event)
	return true
}

// placed makes a new event due: at once, or after maxDelay for an event of a call.
func (e *emitter) placed(event toolscript.Event) {
	e.stopTimer()
	if event.OfCall() && e.last == nil && len(e.waiting)-e.taken < detailsAhead/2 {
		e.deferFlush()
		return
	}
	e.flush()
}

// flush makes the waiting events due. Without events it does not set due, because deferFlush
// would then not start its timer for the next event.
func (e *emitter) flush() {
	e.due = !e.empty()
	if e.delay != nil {
		e.delay.Stop()
		e.delay = nil
	}
	e.changed.Broadcast()
}

// deferFlush makes the events due after maxDelay.
func (e *emitter) deferFlush() {
	if e.due || e.delay != nil {
		return
	}
	e.delay = time.AfterFunc(maxDelay, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.flush()
	})
}

// place adds an event behind the others and reports whether there was room.
func (e *emitter) place(event toolscript.Event) bool {
	memory, room := e.spool.empty() && len(e.after) == 0, e.others < eventsAhead
	if event.OfCall() {
		room = len(e.waiting)-e.taken < callEventsAhead
		if event.Args != nil || event.Result != nil {
			room = len(e.waiting)-e.taken < detailsAhead
		}
	}
	switch {
	case memory && (room || e.free):
		if len(e.waiting) == cap(e.waiting) {
			e.waiting, e.taken = append(e.waiting[:0], e.waiting[e.taken:]...), 0
		}
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

// weigh adds n to others, unless the event is an event of a call.
func (e *emitter) weigh(event toolscript.Event, n int) {
	if !event.OfCall() {
		e.others += n
	}
}

// end adds the last event, once. It does not wait.
func (e *emitter) end(end toolscript.End) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = true
	if e.last == nil {
		event := toolscript.EndEvent(e.id, end)
		e.last = &event
	}
	e.flush()
}

// deliver passes events to the client until the last one.
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

// next waits for an event and removes it.
func (e *emitter) next() (event toolscript.Event, last bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.ready() {
		e.changed.Wait()
	}
	switch {
	case len(e.waiting) > 0:
		event = e.first()
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

// first removes the first event of waiting.
func (e *emitter) first() toolscript.Event {
	event := e.waiting[e.taken]
	e.waiting[e.taken] = toolscript.Event{}
	if e.taken++; e.taken == len(e.waiting) {
		e.waiting, e.taken = e.waiting[:0], 0 // the next events use the same memory
	}
	return event
}

// ready reports whether an event can be delivered.
func (e *emitter) ready() bool {
	if e.empty() {
		return e.last != nil && e.blocked == 0
	}
	return e.due
}

// empty reports whether all events except the last have been delivered.
func (e *emitter) empty() bool {
	return len(e.waiting) == 0 && e.spool.empty() && len(e.after) == 0
}

// pass calls the client's code and recovers its panics.
func (e *emitter) pass(event toolscript.Event) (err error) {
	defer rescue.Into(&err)
	return e.to(event)
}
