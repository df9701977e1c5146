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

// maxCalls bounds the calls in flight on one server. The bound is here because
// the inbox has none.
const maxCalls = 1024

// errInterrupted is the answer to the calls in flight when the actor ends,
// because the gateway does or because the actor panicked.
var errInterrupted = &toolscript.Error{
	Kind:       toolscript.Unavailable,
	Err:        errors.New("the call was interrupted; whether it was carried out is not known"),
	RetryAfter: soon,
}

// call is one call in flight.
type call struct {
	about    toolscript.Error // names the server and the tool
	deadline *deadline
}

func (s *Server) call(m Call) {
	about := toolscript.Error{Server: s.Name, Tool: m.Tool}
	switch {
	case m.Ctx.Err() != nil:
		m.Reply.Send(nil, named(mailbox.ContextError(m.Ctx), about))
	case s.conn == nil:
		m.Reply.Send(nil, Refusal(s.status(), m.Tool))
	case len(s.calls) >= maxCalls:
		about.Kind, about.RetryAfter = toolscript.Busy, time.Second
		about.Err = fmt.Errorf("%d calls are in flight; try again when some have ended", maxCalls)
		m.Reply.Send(nil, &about)
	default:
		s.begin(m, about)
	}
}

// begin runs the call on a goroutine. The caller is answered when the deadline
// ends, whatever the connection makes of its context; the call counts as in
// flight until the connection has let go of it.
func (s *Server) begin(m Call, about toolscript.Error) {
	d := newDeadline(m.Ctx, cmp.Or(s.Config.Timeout, mcpclient.DefaultTimeout), about)
	s.lastCall++
	id := s.lastCall
	s.calls[id] = call{about, d}

	late := context.AfterFunc(d.ctx, func() { m.Reply.Send(nil, named(mailbox.ContextError(d.ctx), about)) })
	conn, post, logger := s.conn, s.post, s.Logger
	finish := func(result json.RawMessage, err error) {
		late()
		m.Reply.Send(result, err)
		d.done()
		post(callDone{id})
	}
	s.Work.Go(func() {
		finish(conn.CallTool(d.ctx, m.Tool, m.Args, d.progressed))
	}, func(err error) {
		finish(nil, named(err, about))
		mailbox.LogFailure(logger, slog.LevelError, "tool call failed", err, slog.String("tool", m.Tool))
	})
}

func (s *Server) callDone(m callDone) { delete(s.calls, m.id) }

// abort answers all calls in flight at once.
func (s *Server) abort(because *toolscript.Error) {
	for _, c := range s.calls {
		c.deadline.cancel(named(because, c.about))
	}
}

// lost is the answer to the calls in flight when the connection ends, with the
// time until the next try.
func (s *Server) lost(delay time.Duration) *toolscript.Error {
	return &toolscript.Error{
		Kind:       toolscript.Unavailable,
		RetryAfter: delay,
		Err: fmt.Errorf("the connection was lost during the call (%s); whether the call was carried out is not known",
			reason(s.lastErr)),
	}
}

// named adds to an error which server and tool it is about.
func named(err error, about toolscript.Error) error {
	var e *toolscript.Error
	if !errors.As(err, &e) {
		return err
	}
	full := *e
	full.Server, full.Tool = about.Server, about.Tool
	return &full
}
