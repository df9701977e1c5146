package live

import (
	"context"
	"sync"

	"github.com/toolscript/toolscript"
)

// The bounds of the events that wait for a reader.
const (
	maxWaiting      = 8192
	maxWaitingBytes = 8 << 20
)

// Reader holds the events for one reader. The actor adds events, and another goroutine takes
// them with Next.
type Reader struct {
	arguments bool

	mu      sync.Mutex
	waiting []toolscript.LiveEvent
	bytes   int
	closed  bool
	more    chan struct{} // signals added events; buffered for one signal
}

// NewReader returns a reader for Subscribe. With arguments, it gets the arguments of calls.
func NewReader(arguments bool) *Reader {
	return &Reader{arguments: arguments, more: make(chan struct{}, 1)}
}

// add adds events. It returns false if too many events wait. There is always room for the first.
func (r *Reader) add(changes []change) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) > 0 && (len(r.waiting)+len(changes) > maxWaiting || r.bytes > maxWaitingBytes) {
		return false
	}
	for _, c := range changes {
		e := c.LiveEvent
		if r.arguments && c.full != nil {
			e.Data = c.full
		}
		r.waiting = append(r.waiting, e)
		r.bytes += len(e.Data)
	}
	r.signal()
	return true
}

// close adds the last event after the waiting events.
func (r *Reader) close(n toolscript.Notice) {
	text, _ := toolscript.PlainJSON(n) // texts can always be encoded
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, toolscript.LiveEvent{Type: toolscript.LiveNotice, Data: text})
	r.closed = true
	r.signal()
}

func (r *Reader) signal() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// Next waits for events and takes all of them. last is true if no more events follow. The
// error is the error of the ended ctx.
func (r *Reader) Next(ctx context.Context) (events []toolscript.LiveEvent, last bool, err error) {
	for {
		r.mu.Lock()
		events, last = r.waiting, r.closed
		r.waiting, r.bytes = nil, 0
		r.mu.Unlock()
		if len(events) > 0 {
			return events, last, nil
		}
		select {
		case <-r.more:
		case <-ctx.Done():
			return nil, false, toolscript.ContextError(ctx)
		}
	}
}
