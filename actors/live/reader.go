package live

import (
	"context"
	"sync"

	"github.com/toolscript/toolscript"
)

// What may wait for a reader.
const (
	maxWaiting      = 8192
	maxWaitingBytes = 8 << 20
)

// Reader has the events for one reader. The actor adds them, and another goroutine
// takes them with Next.
type Reader struct {
	arguments bool

	mu      sync.Mutex
	waiting []toolscript.LiveEvent
	bytes   int
	closed  bool
	more    chan struct{} // has room for one signal: something was added
}

// NewReader returns a reader for Subscribe. arguments: it gets the arguments of calls.
func NewReader(arguments bool) *Reader {
	return &Reader{arguments: arguments, more: make(chan struct{}, 1)}
}

// add adds events. It returns false if too many wait. The first events always have room.
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

// close adds the last event. Those that wait come first.
func (r *Reader) close(n toolscript.Notice) {
	text, _ := toolscript.PlainJSON(n) // two texts
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

// Next waits for events and takes all of them. last says that no more follow. The error
// is that of ctx.
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
