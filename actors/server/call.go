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

// maxQueued bounds the calls that wait for their turn on one server. The bound
// is here because the inbox has none.
const maxQueued = 1024

// errInterrupted is the answer to the calls in flight when the actor ends,
// because the gateway does or because the actor panicked.
var errInterrupted = &toolscript.Error{
	Kind:       toolscript.Unavailable,
	Err:        errors.New("the call was interrupted; whether it was carried out is not known"),
	RetryAfter: soon,
}

// unsent is the answer to the calls that waited for their turn when the
// connection ended: unlike one in flight, such a call can be repeated safely.
func unsent(delay time.Duration, why error) *toolscript.Error {
	return &toolscript.Error{
		Kind: toolscript.Unavailable, RetryAfter: max(delay, soon),
		Err: fmt.Errorf("the connection was lost before the call was sent (%s)", reason(why)),
	}
}

// call is one call in flight.
type call struct {
	about    toolscript.Error // names the server and the tool
	deadline *deadline
	run      string
	ask      func(context.Context, toolscript.Question) (toolscript.Answer, error) // nil: nobody can be asked
}

func (s *Server) call(m Call) {
	about := toolscript.Error{Server: s.Name, Tool: m.Tool}
	switch {
	case m.Ctx.Err() != nil:
		m.Reply.Send(nil, named(mailbox.ContextError(m.Ctx), about))
	case s.conn == nil:
		m.Reply.Send(nil, Refusal(s.status(), m.Tool))
	case len(s.calls) < s.concurrency():
		s.begin(m, about)
	case s.queue.count >= maxQueued:
		about.Kind, about.RetryAfter = toolscript.Busy, soon
		about.Err = fmt.Errorf("%d calls are in flight and %d wait; try again when some have ended", len(s.calls), maxQueued)
		m.Reply.Send(nil, &about)
	default:
		s.wait(m, about)
	}
}

func (s *Server) concurrency() int { return cmp.Or(s.Config.Concurrency, mcpclient.DefaultConcurrency) }

// wait queues a call. A caller that gives up is answered without its turn.
func (s *Server) wait(m Call, about toolscript.Error) {
	s.lastCall++
	w := waiting{id: s.lastCall, Call: m, about: about}
	post, given := s.post, gaveUp{m.Run, w.id}
	w.stop = context.AfterFunc(m.Ctx, func() {
		m.Reply.Send(nil, named(mailbox.ContextError(m.Ctx), about))
		post(given)
	})
	s.queue.push(w)
}

// advance sends what waits, as far as there is room.
func (s *Server) advance() {
	for len(s.calls) < s.concurrency() {
		w, ok := s.queue.pop()
		if !ok {
			return
		}
		if w.stop() { // else its caller has been answered
			s.begin(w.Call, w.about)
		}
	}
}

// begin runs the call on a goroutine. The caller is answered when the deadline
// ends, whatever the connection makes of its context; the call counts as in
// flight until the connection has let go of it.
func (s *Server) begin(m Call, about toolscript.Error) {
	d := newDeadline(m.Ctx, cmp.Or(s.Config.Timeout, mcpclient.DefaultTimeout), about)
	s.lastCall++
	id := s.lastCall
	s.calls[id] = call{about, d, m.Run, m.Ask}

	late := context.AfterFunc(d.ctx, func() { m.Reply.Send(nil, named(mailbox.ContextError(d.ctx), about)) })
	conn, post, logger := s.conn, s.post, s.Logger
	finish := func(result json.RawMessage, err error) {
		late()
		m.Reply.Send(result, err)
		d.done()
		post(callDone{id})
	}
	s.Work.Go(func() {
		finish(m.send(context.WithValue(d.ctx, callKey{}, id), conn, d.progressed))
	}, func(err error) {
		finish(nil, named(err, about))
		mailbox.LogFailure(logger, slog.LevelError, "tool call failed", err, slog.String("tool", m.Tool))
	})
}

// send makes the request that the call is about.
func (m Call) send(ctx context.Context, conn Conn, progress func()) (json.RawMessage, error) {
	if m.Fetch != nil {
		return conn.Fetch(ctx, *m.Fetch, progress)
	}
	return conn.CallTool(ctx, m.Tool, m.Args, progress)
}

func (s *Server) callDone(m callDone) {
	delete(s.calls, m.id)
	s.advance()
}

// abort answers all calls at once, those in flight and those that wait.
func (s *Server) abort(inFlight, queued *toolscript.Error) {
	for _, c := range s.calls {
		c.deadline.cancel(named(inFlight, c.about))
	}
	for w, ok := s.queue.pop(); ok; w, ok = s.queue.pop() {
		if w.stop() {
			w.Reply.Send(nil, named(queued, w.about))
		}
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
