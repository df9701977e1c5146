package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/toolscript/toolscript/internal/rawio"
)

// errBacklog is the error of Write for a message that would exceed the limit of waiting bytes.
var errBacklog = errors.New("the server does not read its input; try again later")

// maxBacklog is the maximum number of bytes that wait in all outboxes of the process
// together. Each outbox also has its own limit.
const maxBacklog = 256 << 20

// backlog is the number of bytes that wait in all outboxes.
var backlog atomic.Int64

// errClosed is the error of Write after the outbox was closed.
var errClosed = errors.New("the server's standard input is closed")

// outbox writes messages to a server without blocking. The caller's goroutine writes the bytes
// that the pipe accepts at once, and a goroutine of the outbox writes the rest. mcp-go alone would
// write under a lock and without a deadline, even in the goroutine that reads. A server that does
// not read its input would then block every call beyond its context, and the answers to its own
// requests would block the reader.
type outbox struct {
	to    io.WriteCloser
	now   func([]byte) int // writes the bytes that fit without blocking; nil if to has no such write
	limit int              // maximum number of waiting bytes; a single message may exceed it

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][]byte
	size    int
	writing bool // run is writing a message
	closed  bool
	failed  bool
	broken  chan struct{} // closed when a write failed, or panicked
}

func newOutbox(to io.WriteCloser, limit int) *outbox {
	o := &outbox{to: to, limit: limit, broken: make(chan struct{})}
	if file, is := to.(*os.File); is {
		pipe := rawio.New(file)
		o.to, o.now = pipe, pipe.WriteNow
	}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// Write queues one message. It never blocks. The error is errClosed or errBacklog.
func (o *outbox) Write(message []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return 0, errClosed
	}
	if o.size > 0 && o.size+len(message) > o.limit {
		return 0, errBacklog
	}
	if backlog.Add(int64(len(message))) > maxBacklog {
		backlog.Add(-int64(len(message)))
		return 0, errBacklog
	}
	o.size += len(message)
	rest := message
	if o.now != nil && !o.writing && len(o.waiting) == 0 {
		rest = rest[o.now(rest):]
		o.count(len(rest) - len(message))
	}
	if len(rest) > 0 {
		o.waiting = append(o.waiting, bytes.Clone(rest))
		o.changed.Signal()
	}
	return len(message), nil
}

// count adds n to the numbers of waiting bytes. The caller holds mu.
func (o *outbox) count(n int) {
	o.size += n
	backlog.Add(int64(n))
}
