package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// A Port makes calls in the caller's goroutine while the server is connected and has
// a free slot. The actor publishes the connection in the Port and withdraws it before
// the connection ends. The zero Port has no connection.
type Port struct{ current atomic.Pointer[open] }

// open is a published connection. It is immutable.
type open struct {
	name       string
	conn       Conn
	generation uint64
	timeout    time.Duration
	calls      *inFlight
	post       func(message any) // sends a message to the actor
}

// Call makes the same call as the message Call. If sent is false, the call was not
// sent: the caller must send the message, so that the call waits for its turn or for
// another connection.
func (p *Port) Call(m Call) (result json.RawMessage, sent bool, err error) {
	o := p.current.Load()
	if o == nil || m.Ctx.Err() != nil {
		return nil, false, nil
	}
	about := toolscript.Error{Server: o.name, Tool: m.Tool}
	c, ok := o.calls.begin(m, about, o.timeout, o.generation, false)
	if !ok {
		return nil, false, nil
	}
	err = mailbox.ErrEnded // remains set after a panic, which the caller contains
	defer func() {
		if o.calls.end(c, err) {
			o.post(placeFree{})
		}
	}()
	result, err = m.send(c.ctx, o.conn, c.progressed)
	if err != nil && c.ctx.Err() != nil {
		err = named(mailbox.ContextError(c.ctx), about)
	}
	if m.Wait > 0 && errors.Is(err, mcpclient.ErrUnreachable) && m.Ctx.Err() == nil {
		o.post(unreachable{o.generation, err})
		return nil, false, nil
	}
	return result, true, err
}

// publish lets callers use the connection.
func (s *Server) publish() {
	if s.Port == nil || s.conn == nil {
		return
	}
	s.Port.current.Store(&open{
		name: s.Name, conn: s.conn, generation: s.generation, timeout: s.timeout(), calls: s.calls, post: s.post,
	})
}

// withdraw removes the connection from the Port. A Port outlives its actor, so a
// later actor may already have published its connection there.
func (s *Server) withdraw() {
	s.calls.open(0)
	if s.Port == nil {
		return
	}
	if o := s.Port.current.Load(); o != nil && o.calls == s.calls {
		s.Port.current.CompareAndSwap(o, nil)
	}
}

func (s *Server) timeout() time.Duration { return cmp.Or(s.Config.Timeout, mcpclient.DefaultTimeout) }
