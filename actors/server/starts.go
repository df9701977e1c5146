package server

import (
	"context"
	"slices"
	"sync"
)

// maxInstalls bounds the package managers that install at the same time: they compete for the
// network, the disk and the locks of one cache.
const maxInstalls = 2

// Starts limits how many server processes start at the same time: each start uses a processor,
// and too many starts would all miss their time limits. All servers of a gateway share one
// Starts. A nil Starts has no limit.
type Starts struct {
	cores int

	mu      sync.Mutex
	counts  [busyKinds]int // starts of each kind
	alone   *admission     // the start that runs alone; nil if there is none
	waiting []*admission   // in the order of their arrival
}

// busy is the resource that a start uses.
type busy int

const (
	idle       busy = iota // nothing, or nothing any more
	computing              // a processor
	installing             // a package manager
	busyKinds
)

// admission is the admission of one start. A nil place has no limit.
type admission struct {
	starts   *Starts
	wants    busy
	alone    bool
	admitted chan struct{}

	// These fields are guarded by starts.mu.
	is    busy
	ended bool // the start is over; is stays idle
}

// NewStarts returns a limit of as many simultaneous starts as there are processors.
func NewStarts(processors int) *Starts { return &Starts{cores: processors} }

// begin waits until a start may begin. wants is computing or installing. With alone, the start
// waits for the end of all others, and all others wait for its end.
func (s *Starts) begin(ctx context.Context, wants busy, alone bool) (*admission, error) {
	if s == nil {
		return nil, ctx.Err()
	}
	p := &admission{starts: s, wants: wants, alone: alone, admitted: make(chan struct{})}
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

// become sets the resource that the start uses from now on. It may exceed the limit, because running starts are not
// stopped; no other start begins then. After end, become does nothing: the goroutine that watches the start may be
// late.
func (p *admission) become(is busy) {
	if p == nil {
		return
	}
	p.starts.mu.Lock()
	defer p.starts.mu.Unlock()
	p.set(is)
}

// end frees the place for good.
func (p *admission) end() {
	if p == nil {
		return
	}
	p.starts.mu.Lock()
	defer p.starts.mu.Unlock()
	p.set(idle)
	p.ended = true
}

// set sets the resource that the start uses and admits others. The caller holds starts.mu.
func (p *admission) set(is busy) {
	s := p.starts
	if p.ended {
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w *admission) bool { return w == p })
	s.counts[p.is]--
	s.counts[is]++
	p.is = is
	if is == idle && s.alone == p {
		s.alone = nil
	}
	s.admit()
}

// admit lets waiting starts begin as far as there is room. The caller holds mu.
func (s *Starts) admit() {
	for i := 0; i < len(s.waiting); {
		p := s.waiting[i]
		if !s.fits(p) {
			if p.alone {
				return // later starts must not overtake it
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

func (s *Starts) fits(p *admission) bool {
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
