package server

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/upstream"
)

// A Port makes calls in the caller's goroutine while the server is connected. If the server has
// no free slot, the actor makes them later. The actor publishes the connection in the Port and withdraws it before
// the connection ends. The zero Port has no connection. A Port outlives the actor.
type Port struct {
	Traffic Traffic

	bucket  bucket
	current atomic.Pointer[open]
}

// open is a published connection. It is immutable.
type open struct {
	name       string
	conn       Conn
	generation uint64
	timeout    time.Duration
	review     Review
	calls      *inFlight
	work       *mailbox.Group
	ages       bool              // conn implements ages
	post       func(message any) // sends a message to the actor
}

// InFlight returns the number of calls in flight.
func (p *Port) InFlight() int {
	if o := p.current.Load(); o != nil {
		return o.calls.count()
	}
	return 0
}

// published returns the connection as callers see it.
func (s *Server) published() *open {
	_, ages := s.conn.(ages)
	return &open{name: s.Name, conn: s.conn, ages: ages, generation: s.generation, timeout: s.timeout(), review: s.review, calls: s.calls, work: s.Work, post: s.post}
}

// publish lets callers use the connection.
func (s *Server) publish() {
	if s.conn != nil {
		s.Port.current.Store(s.published())
	}
}

// withdraw removes the connection from the Port. A Port outlives its actor, so a
// later actor may already have published its connection there.
func (s *Server) withdraw() {
	s.calls.open(0)
	s.refuseRereads()
	if o := s.Port.current.Load(); o != nil && o.calls == s.calls {
		s.Port.current.CompareAndSwap(o, nil)
	}
}

func (s *Server) timeout() time.Duration { return cmp.Or(s.Config.Timeout, upstream.DefaultTimeout) }
