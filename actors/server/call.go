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
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxQueued is the maximum number of calls that wait for their turn on one server.
// The actor's mailbox itself has no limit.
const maxQueued = 1024

// interrupted returns the error of calls whose actor ends: because of Leave, because the
// gateway exits, or after a panic.
func (s *Server) interrupted(rest string) *toolscript.Error {
	e := &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: soon, Err: errors.New("the call was interrupted; " + rest)}
	if why := s.leaving; why.Why != "" {
		e.RetryAfter, e.Err = why.RetryAfter, errors.New(why.Why+"; "+rest)
	}
	return e
}

func (s *Server) call(m Call) {
	about := toolscript.Error{Server: s.Name, Tool: m.Tool}
	err := s.quarantined(m)
	if err == nil && m.Fetch != nil {
		err = selects(s.Config, *m.Fetch)
	}
	switch {
	case err != nil:
		m.refuse(named(err, about))
	case m.Ctx.Err() != nil:
		m.refuse(named(mailbox.ContextError(m.Ctx), about))
	case s.conn == nil && !s.mayConnect(&m):
		m.refuse(Refusal(s.status(), m.Tool))
	case s.conn != nil && s.queue.count == 0 && s.begin(m):
	default:
		s.enqueue(m, about)
		s.advance()
	}
}

// refuse answers a call that was not sent, or whose task is not followed.
func (m Call) refuse(err error) {
	if m.Task != "" {
		m.Reply(nil, leftTask(m.Task, err))
		return
	}
	m.Reply(nil, unsent(err))
}

// unsent returns the error of a call that was not sent. It replaces Sent in err, which may be
// the cause of a context that also ended calls in flight.
func unsent(err error) error { return withSent(err, toolscript.SentNo) }

func withSent(err error, sent toolscript.Sent) error {
	var e *toolscript.Error
	if !errors.As(err, &e) || e.Sent == sent {
		return err
	}
	full := *e
	full.Sent = sent
	return &full
}

// enqueue adds a call to the queue. It refuses the call if the queue is full or the turn of the call would come too
// late.
func (s *Server) enqueue(m Call, about toolscript.Error) {
	if s.queue.count >= maxQueued {
		about.Kind, about.RetryAfter = toolscript.Busy, max(soon, s.calls.tokenIn(1))
		about.Err = fmt.Errorf("%d calls are in flight and %d wait; try again when some have ended", s.calls.count(), maxQueued)
		m.refuse(&about)
		return
	}
	if err := s.limited(m); err != nil {
		m.refuse(err)
		return
	}
	s.wait(m, about)
}

// setLimits applies the configured limits to calls that begin later.
func (s *Server) setLimits() {
	s.calls.setMost(cmp.Or(s.Config.Concurrency, upstream.DefaultConcurrency))
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
		m.refuse(named(mailbox.ContextError(m.Ctx), about))
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
	logger, config := s.Logger, s.Config
	reply := func(result json.RawMessage, err error) {
		if m.Fetch != nil && err == nil {
			result, err = selected(config, *m.Fetch, result)
		}
		m.Reply(result, err)
		if panicked := (*rescue.Error)(nil); errors.As(err, &panicked) {
			mailbox.LogFailure(logger, slog.LevelError, "tool call failed", err, slog.String("tool", m.Tool))
		}
	}
	c := newCall(&m, s.published(), true, reply)
	if !c.begin() {
		return false
	}
	unwatch := context.AfterFunc(m.Ctx, func() { c.stop(mailbox.ContextError(m.Ctx)) })
	c.whenOver(func() { unwatch() })
	c.send()
	return true
}

// abort fails all calls in flight at once.
func (s *Server) abort(why *toolscript.Error) {
	stopAll(s.calls.all(), why)
}

func stopAll(calls []*pendingCall, why *toolscript.Error) {
	for _, c := range calls {
		c.stop(why)
	}
}

// lost returns the error of calls in flight when the connection ends. delay is the
// time until the next attempt to connect.
func (s *Server) lost(delay time.Duration) *toolscript.Error {
	e, why := s.loss()
	if !e.Permanent {
		e.RetryAfter = delay
	}
	e.Sent = toolscript.SentUnknown
	e.Err = fmt.Errorf("the connection was lost during the call (%s); %s", why, toolscript.UnknownOutcome)
	return e
}

// loss returns the reason for the end of the connection, and an error with its kind, which is
// also the kind of the errors of later calls.
func (s *Server) loss() (e *toolscript.Error, why string) {
	if s.state == toolscript.NeedsAuth {
		e = Refusal(s.status(), "")
		why, e.Next = e.Text(), ""
		return e, why
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Permanent: permanent(s.lastErr)}, toolscript.TextOf(s.lastErr)
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
