package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// maxQueued is the maximum number of calls that wait for their turn on one server.
// The actor's mailbox itself has no limit.
const maxQueued = 1024

// errInterrupted is the error of calls in flight when the actor ends, because the
// gateway exits or the actor panicked.
var errInterrupted = &toolscript.Error{
	Kind:       toolscript.Unavailable,
	Err:        errors.New("the call was interrupted; whether it was carried out is not known"),
	RetryAfter: soon,
}

func (s *Server) call(m Call) {
	about := toolscript.Error{Server: s.Name, Tool: m.Tool}
	switch err := s.quarantined(m); {
	case err != nil:
		m.Reply.Send(nil, err)
	case m.Ctx.Err() != nil:
		m.Reply.Send(nil, named(mailbox.ContextError(m.Ctx), about))
	case s.conn == nil && !s.mayConnect(&m):
		m.Reply.Send(nil, Refusal(s.status(), m.Tool))
	case s.conn != nil && s.queue.count == 0 && s.begin(m):
	default:
		s.enqueue(m, about)
		s.advance()
	}
}

// enqueue lets a call wait for its turn, unless the queue is full or its turn comes too
// late.
func (s *Server) enqueue(m Call, about toolscript.Error) {
	if s.queue.count >= maxQueued {
		about.Kind, about.RetryAfter = toolscript.Busy, max(soon, s.calls.tokenIn(1))
		about.Err = fmt.Errorf("%d calls are in flight and %d wait; try again when some have ended", s.calls.count(), maxQueued)
		m.Reply.Send(nil, &about)
		return
	}
	if err := s.limited(m); err != nil {
		m.Reply.Send(nil, err)
		return
	}
	s.wait(m, about)
}

// setLimits sets the configured limits of calls that begin later.
func (s *Server) setLimits() {
	s.calls.setMost(cmp.Or(s.Config.Concurrency, mcpclient.DefaultConcurrency))
	s.calls.setRate(s.Port.bucket.configure(s.Config.RateLimit))
}

// wait queues a call until it may be sent or a connection exists. If the caller's
// context ends first, the call fails with its error.
func (s *Server) wait(m Call, about toolscript.Error) {
	s.lastQueued++
	w := waiting{id: s.lastQueued, Call: m, about: about}
	if s.conn == nil {
		w.late = s.late(w)
	}
	post, given := s.post, callAbandoned{m.Run, w.id}
	w.stop = context.AfterFunc(m.Ctx, func() {
		m.Reply.Send(nil, named(mailbox.ContextError(m.Ctx), about))
		post(given)
	})
	s.queue.push(w)
}

// advance sends waiting calls while there are a connection, a free slot and a token of
// the rate limit.
func (s *Server) advance() {
	for s.conn != nil && s.queue.count > 0 {
		free, token := s.calls.room()
		if !free {
			s.awaitToken(token)
			break
		}
		w, _ := s.queue.pop()
		if w.end() { // otherwise the caller already has an error
			s.begin(w.Call)
		}
	}
	s.calls.wait(s.queue.count > 0)
}

// begin makes the call if there is a free slot. The caller receives an error at the time
// limit even if the connection ignores it. The call occupies its slot until the
// connection returns.
func (s *Server) begin(m Call) bool {
	logger := s.Logger
	reply := func(result json.RawMessage, err error) {
		m.Reply.Send(result, err)
		if panicked := (*mailbox.PanicError)(nil); errors.As(err, &panicked) {
			mailbox.LogFailure(logger, slog.LevelError, "tool call failed", err, slog.String("tool", m.Tool))
		}
	}
	c, ok := s.calls.begin(&m, s.published(), true, reply, func(c *call, err error) { c.post(notSent{c.generation, m, err}) })
	if !ok {
		return false
	}
	unwatch := context.AfterFunc(m.Ctx, func() { c.stop(mailbox.ContextError(m.Ctx)) })
	c.whenOver(func() { unwatch() })
	c.send(s.conn, &m)
	return true
}

// abort fails all calls in flight at once.
func (s *Server) abort(why *toolscript.Error) {
	for _, c := range s.calls.all() {
		c.stop(why)
	}
}

// lost returns the error of calls in flight when the connection ends. delay is the
// time until the next attempt to connect.
func (s *Server) lost(delay time.Duration) *toolscript.Error {
	return &toolscript.Error{
		Kind:       toolscript.Unavailable,
		RetryAfter: delay,
		Err: fmt.Errorf("the connection was lost during the call (%s); whether the call was carried out is not known",
			reason(s.lastErr)),
	}
}

// named adds the server and the tool to an error.
func named(err error, about toolscript.Error) error {
	var e *toolscript.Error
	if !errors.As(err, &e) {
		return err
	}
	full := *e
	full.Server, full.Tool = about.Server, about.Tool
	return &full
}
