package server

import (
	"context"
	"slices"
	"sync"
)

// maxInstalls is how many package managers install at the same time: they compete for the
// network, the disk and the locks of one cache.
const maxInstalls = 2

// Starts limits how many server processes start at the same time: each uses a processor, and
// on too few of them none would be ready in time. It is shared by all servers of a gateway.
// A nil Starts has no limit.
type Starts struct {
	cores int

	mu      sync.Mutex
	counts  [busyKinds]int // starts of each kind
	alone   *place         // the start that runs alone; nil: none
	waiting []*place       // in the order of their arrival
}

// busy is what a start uses.
type busy int

const (
	idle       busy = iota // nothing, or nothing any more
	computing              // a processor
	installing             // a package manager
	busyKinds
)

// place is the admission of one start. A nil place has no limit.
type place struct {
	starts   *Starts
	wants    busy
	alone    bool
	admitted chan struct{}

	// These fields are guarded by starts.mu.
	is    busy
	ended bool // the start is over; the place uses nothing any more
}

// NewStarts returns a limit of as many simultaneous starts as there are processors.
func NewStarts(processors int) *Starts { return &Starts{cores: processors} }

// begin waits until a start may begin. wants is computing or installing. A start that is alone
// waits for the end of all others, and all others wait for it.
func (s *Starts) begin(ctx context.Context, wants busy, alone bool) (*place, error) {
	if s == nil {
		return nil, ctx.Err()
	}
	p := &place{starts: s, wants: wants, alone: alone, admitted: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, p)
	s.admit()
	s.mu.Unlock()
	select {
	case <-p.admitted:
		return p, nil
	case <-ctx.Done():
		p.end()
		return nil, context.Cause(ctx)
	}
}

// become says what the start uses from now on. A running start is not stopped, so that more
// than the limit may run; no other one begins then. After end, become does nothing: the
// goroutine that watches the start may be late.
func (p *place) become(is busy) {
	if p == nil {
		return
	}
	p.starts.mu.Lock()
	defer p.starts.mu.Unlock()
	p.set(is)
}

// end frees the place for good.
func (p *place) end() {
	if p == nil {
		return
	}
	p.starts.mu.Lock()
	defer p.starts.mu.Unlock()
	p.set(idle)
	p.ended = true
}

// set is called with starts.mu held.
func (p *place) set(is busy) {
	s := p.starts
	if p.ended {
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *place) bool { return w == p })
	s.counts[p.is]--
	s.counts[is]++
	p.is = is
	if is == idle && s.alone == p {
		s.alone = nil
	}
	s.admit()
}

// admit lets the starts begin for which there is room. It is called with mu held.
func (s *Starts) admit() {
	for i := 0; i < len(s.waiting); {
		p := s.waiting[i]
		if !s.fits(p) {
			if p.alone {
				return // otherwise it would wait as long as others come
			}
			i++
			continue
		}
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.counts[p.wants]++
		p.is = p.wants
		if p.alone {
			s.alone = p
		}
		close(p.admitted)
	}
}

func (s *Starts) fits(p *place) bool {
	switch {
	case s.alone != nil:
		return false
	case p.alone:
		return s.counts[computing]+s.counts[installing] == 0
	case p.wants == installing && s.counts[installing] >= maxInstalls:
		return false
	default:
		return s.counts[computing] < s.cores
	}
}
