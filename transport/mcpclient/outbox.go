package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// errBacklog is the answer to a message that would make the outbox too large.
var errBacklog = errors.New("the server does not read what it is sent; try again later")

// errClosed is the answer to a message after the end.
var errClosed = errors.New("the server's standard input is closed")

// outbox writes messages to a server on a goroutine of its own. mcp-go writes
// under a lock and without a deadline, on the reading goroutine too: a server
// that does not read would block every call past its context, and itself with
// its own requests.
type outbox struct {
	to    io.WriteCloser
	limit int // bytes that may wait; a single message may be larger

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][]byte
	size    int
	closed  bool
	broken  chan struct{} // closed when a write failed, or panicked
}

func newOutbox(to io.WriteCloser, limit int) *outbox {
	o := &outbox{to: to, limit: limit, broken: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// Write queues one message. It never blocks.
func (o *outbox) Write(message []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return 0, errClosed
	}
	if o.size > 0 && o.size+len(message) > o.limit {
		return 0, errBacklog
	}
	o.waiting = append(o.waiting, bytes.Clone(message))
	o.size += len(message)
	o.changed.Signal()
	return len(message), nil
}

// Close ends the outbox without blocking. What is waiting is written first, then
// the server's standard input is closed.
func (o *outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Signal()
	return nil
}

// run writes until the outbox is closed and empty, or a write fails.
func (o *outbox) run() {
	defer func() { _ = o.to.Close() }() // the server may have gone already
	for {
		message, ok := o.take()
		if !ok {
			return
		}
		if !o.write(message) {
			return
		}
	}
}

// write reports whether more may follow. After a panic too nobody may wait for
// this outbox any more.
func (o *outbox) write(message []byte) (ok bool) {
	defer func() {
		if !ok {
			o.fail()
		}
	}()
	if _, err := o.to.Write(message); err != nil {
		return false
	}
	o.written(message)
	return true
}

// take waits for a message; false means that there will be none.
func (o *outbox) take() ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) == 0 {
		if o.closed {
			return nil, false
		}
		o.waiting = nil // gives the memory of a burst back
		o.changed.Wait()
	}
	message := o.waiting[0]
	o.waiting[0] = nil
	o.waiting = o.waiting[1:]
	return message, true
}

// written counts a message out only now: one that the server is slow to read
// weighs as much as one that waits.
func (o *outbox) written(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.size -= len(message)
}

func (o *outbox) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.waiting = true, nil
	close(o.broken)
}
