package wire

import (
	"errors"
	"sync"
	"time"
)

const (
	// PieceSize is the size in bytes above which a payload is sent in pieces, and the
	// maximum size of a piece. A message of NATS has at most 1 MB.
	PieceSize = 256 << 10

	// Window is the number of pieces that a receiver has room for at the start.
	Window = 4

	// MaxPayload is the maximum size of a payload in bytes: that of a message of a server.
	MaxPayload = 64 << 20
)

// Outgoing sends a payload in pieces. It is safe for concurrent use.
type Outgoing struct {
	send func(piece []byte) error
	over func()

	mu   sync.Mutex
	rest []byte // nil after the end

	// Set by Limit.
	limit time.Duration
	late  func()
	timer *time.Timer
	asked time.Time // when Room was called last
}

// NewOutgoing returns a payload that is sent with send when the receiver has room. over is
// called once, when all was sent, sending has failed, or Stop was called.
func NewOutgoing(payload []byte, send func(piece []byte) error, over func()) *Outgoing {
	return &Outgoing{send: send, over: over, rest: payload}
}

// Limit ends the sending when Room is not called for a time, and then calls late.
func (o *Outgoing) Limit(limit time.Duration, late func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over == nil {
		return
	}
	o.limit, o.late, o.asked = limit, late, time.Now()
	o.timer = time.AfterFunc(limit, o.expired)
}

func (o *Outgoing) expired() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over == nil {
		return
	}
	if left := o.limit - time.Since(o.asked); left > 0 { // Room was called meanwhile
		o.timer.Reset(left)
		return
	}
	o.end()
	go o.late()
}

// Room sends n more pieces, and reports whether that was the end.
func (o *Outgoing) Room(n int) (over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.asked = time.Now() }()
	for ; n > 0 && len(o.rest) > 0; n-- {
		piece := o.rest[:min(len(o.rest), PieceSize)]
		o.rest = o.rest[len(piece):]
		if o.send(piece) != nil || len(o.rest) == 0 {
			o.end()
		}
	}
	return len(o.rest) == 0
}

// Stop ends the sending.
func (o *Outgoing) Stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
}

// end is called with mu held.
func (o *Outgoing) end() {
	o.rest = nil
	if over := o.over; over != nil {
		o.over = nil
		if o.timer != nil {
			o.timer.Stop()
		}
		over()
	}
}

// ErrPieces is the error of pieces that do not belong to a payload.
var ErrPieces = errors.New("pieces of a message arrived that do not fit together")

// Incoming collects the pieces of a payload. Only one goroutine may use it.
type Incoming struct{ payload []byte }

// NewIncoming returns a collector for a payload of size bytes, of which the caller has
// checked that it is at most MaxPayload.
func NewIncoming(size int) *Incoming { return &Incoming{make([]byte, 0, size)} }

// Add appends a piece. complete is true for the last one.
func (i *Incoming) Add(piece []byte) (complete bool, err error) {
	if len(piece) == 0 || len(piece) > PieceSize || len(i.payload)+len(piece) > cap(i.payload) {
		return false, ErrPieces
	}
	i.payload = append(i.payload, piece...)
	return len(i.payload) == cap(i.payload), nil
}

// Payload returns the collected bytes.
func (i *Incoming) Payload() []byte { return i.payload }
