package wire

import (
	"errors"
	"sync"
	"time"
)

const (
	// PieceSize is the size in bytes above which a payload is sent in pieces, and the size of
	// all pieces but the last one. A short piece lets other messages pass on a slow connection.
	PieceSize = 64 << 10

	// MostRoom is the largest number of pieces that a receiver may ask for at once.
	MostRoom = mostAway

	// MaxPayload is the maximum size of a payload in bytes: that of a message of a server.
	MaxPayload = 64 << 20
)

// Outgoing sends a payload in pieces. It is safe for concurrent use.
type Outgoing struct {
	send func(piece []byte) error
	over func()

	mu      sync.Mutex
	rest    []byte // nil after the end
	room    int    // pieces that the receiver has room for
	sending bool   // a goroutine sends
	ended   bool

	// Set by Limit.
	limit time.Duration
	late  func()
	timer *time.Timer
	asked time.Time // time of the last call of Room
}

// NewOutgoing returns a payload that is sent with send when the receiver has room. over is
// called once, when all was sent, sending has failed, or Stop was called.
func NewOutgoing(payload []byte, send func(piece []byte) error, over func()) *Outgoing {
	return &Outgoing{send: send, over: over, rest: payload}
}

// Limit ends the sending if Room is not called for the time limit, and then calls late.
func (o *Outgoing) Limit(limit time.Duration, late func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.limit, o.late, o.asked = limit, late, time.Now()
	o.timer = time.AfterFunc(limit, o.expired)
}

func (o *Outgoing) expired() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	if left := o.limit - time.Since(o.asked); left > 0 { // Room was called meanwhile
		o.timer.Reset(left)
		return
	}
	o.end()
	go o.late()
}

// Room sends n more pieces, and reports whether the sending has ended. If another goroutine
// is sending, that goroutine sends the pieces.
func (o *Outgoing) Room(n int) (over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.room += min(max(n, 0), MostRoom)
	o.asked = time.Now()
	if o.sending {
		return false
	}
	for o.room > 0 && !o.ended {
		piece := o.rest[:min(len(o.rest), PieceSize)]
		o.rest = o.rest[len(piece):]
		o.room--
		if !o.sendOne(piece) || len(o.rest) == 0 {
			o.end()
		}
	}
	return o.ended
}

// sendOne sends a piece. It is called with mu held, and unlocks mu while it sends.
func (o *Outgoing) sendOne(piece []byte) bool {
	o.sending = true
	o.mu.Unlock()
	err := o.send(piece)
	o.mu.Lock()
	o.sending = false
	o.asked = time.Now()
	if o.ended { // ended while the piece was sent
		o.done()
	}
	return err == nil
}

// Stop ends the sending.
func (o *Outgoing) Stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
}

// Ended reports whether no more pieces will be sent.
func (o *Outgoing) Ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// end ends the sending. It is called with mu held.
func (o *Outgoing) end() {
	if o.ended {
		return
	}
	o.ended = true
	if o.timer != nil {
		o.timer.Stop()
	}
	if !o.sending { // else the piece is in use
		o.done()
	}
}

// done releases the payload and calls over. It is called once, with mu held.
func (o *Outgoing) done() {
	o.rest = nil
	o.over()
}

// ErrPieces is the error of pieces that do not belong to a payload.
var ErrPieces = errors.New("pieces of a message arrived that do not fit together")

// Incoming collects the pieces of a payload. Start and Stop may be called by any goroutine.
type Incoming struct {
	flow *Flow
	room func()

	mu      sync.Mutex
	payload []byte
	wanted  int     // number of pieces for which no slot was requested yet
	away    []*Slot // slots of the pieces that the sender may send
	ended   bool
}

// NewIncoming returns a collector for a payload of size bytes, which must be at most
// MaxPayload. room is called when flow allows one more piece, and tells the sender that
// there is room for it.
func NewIncoming(size int, flow *Flow, room func()) *Incoming {
	return &Incoming{flow: flow, room: room, payload: make([]byte, 0, size), wanted: (size + PieceSize - 1) / PieceSize}
}

// Start asks for the pieces. A payload waits for one slot at a time, so that all take turns.
func (i *Incoming) Start() {
	i.mu.Lock()
	more := i.wanted > 0 && !i.ended
	if more {
		i.wanted--
	}
	i.mu.Unlock()
	if more {
		i.flow.Ask(i.granted)
	}
}

func (i *Incoming) granted(s *Slot) {
	i.mu.Lock()
	ended := i.ended
	if !ended {
		i.away = append(i.away, s)
	}
	i.mu.Unlock()
	if ended {
		s.Release()
		return
	}
	i.room()
	i.Start()
}

// Add appends a piece. complete is true for the last one.
func (i *Incoming) Add(piece []byte) (complete bool, err error) {
	i.mu.Lock()
	if i.ended || len(i.away) == 0 || len(piece) == 0 || len(piece) > PieceSize || len(i.payload)+len(piece) > cap(i.payload) {
		i.mu.Unlock()
		return false, ErrPieces
	}
	i.payload = append(i.payload, piece...)
	complete = len(i.payload) == cap(i.payload)
	s := i.away[0]
	i.away = i.away[1:]
	i.mu.Unlock()
	s.Arrived()
	if complete {
		i.Stop()
	}
	return complete, nil
}

// Stop releases the slots of pieces that have not arrived.
func (i *Incoming) Stop() {
	i.mu.Lock()
	away := i.away
	i.away, i.ended = nil, true
	i.mu.Unlock()
	for _, s := range away {
		s.Release()
	}
}

// Payload returns the collected bytes. It is called after the last piece.
func (i *Incoming) Payload() []byte { return i.payload }
