package wire

import (
	"sync"
	"time"
)

const (
	firstAway = 4  // pieces on their way before the speed of the connection is known
	mostAway  = 32 // on a fast connection

	// A piece that takes less than quick has found room on the connection. A piece that takes
	// more than slow has waited for others.
	quick = 200 * time.Millisecond
	slow  = 800 * time.Millisecond
)

// Flow bounds the number of pieces on their way over one connection, for all payloads
// together, which take turns. So a message that is sent after them, such as the answer to a
// Beat, waits only for these pieces. The bound grows while pieces arrive quickly, and shrinks
// while they are slow. The zero value is ready for use. It is safe for concurrent use.
type Flow struct {
	mu      sync.Mutex
	bound   int // 0: firstAway
	away    int
	waiting []func(*Slot)
}

// Slot is the right to have one piece on its way.
type Slot struct {
	flow  *Flow
	since time.Time
}

// Ask calls granted as soon as one more piece may be on its way: before it returns, or later, in
// the goroutine that frees a Slot.
func (f *Flow) Ask(granted func(*Slot)) {
	f.mu.Lock()
	f.waiting = append(f.waiting, granted)
	f.mu.Unlock()
	f.advance()
}

// advance grants slots while there is room.
func (f *Flow) advance() {
	for {
		f.mu.Lock()
		if f.bound == 0 {
			f.bound = firstAway
		}
		if len(f.waiting) == 0 || f.away >= f.bound {
			f.mu.Unlock()
			return
		}
		next := f.waiting[0]
		f.waiting[0] = nil
		f.waiting = f.waiting[1:]
		f.away++
		f.mu.Unlock()
		next(&Slot{f, time.Now()})
	}
}

// Arrived frees the slot after its piece has arrived.
func (s *Slot) Arrived() {
	took := time.Since(s.since)
	s.free(func(f *Flow) {
		switch {
		case took < quick:
			f.bound = min(f.bound+1, mostAway)
		case took > slow:
			f.bound = max(f.bound/2, 1)
		}
	})
}

// Release frees the slot of a piece that has not arrived.
func (s *Slot) Release() { s.free(func(*Flow) {}) }

func (s *Slot) free(adapt func(*Flow)) {
	f := s.flow
	f.mu.Lock()
	f.away--
	adapt(f)
	f.mu.Unlock()
	f.advance()
}

// Pacer sends the pieces of one side of a connection. It is safe for concurrent use.
type Pacer struct {
	flow  Flow
	flush func() error
}

// NewPacer returns a Pacer. flush returns when everything that was sent before has reached
// the NATS server.
func NewPacer(flush func() error) *Pacer { return &Pacer{flush: flush} }

// Send waits until the piece may be sent, and sends it with publish.
func (p *Pacer) Send(publish func() error) error {
	slots := make(chan *Slot, 1)
	p.flow.Ask(func(s *Slot) { slots <- s })
	s := <-slots // a slot becomes free at the latest when the connection ends
	if err := publish(); err != nil {
		s.Release()
		return err
	}
	go func() {
		_ = p.flush() // without an answer, the connection is slow or has ended
		s.Arrived()
	}()
	return nil
}
