package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// A connection can be up although its server does not answer: the server hangs, or
// the network has dropped an idle connection. Servers without calls in flight
// therefore receive a ping at intervals.
const (
	healthInterval = 30 * time.Second // default time between two pings
	healthTime     = 10 * time.Second // time limit of a ping
	healthTries    = 2                // consecutive unanswered pings that end a connection
)

// health is the result of the pings on one connection.
type health struct {
	answered   bool   // a ping was answered
	unanswered int    // consecutive unanswered pings
	answers    uint64 // answers to other requests at the last check
}

// watch schedules the next ping on this connection.
func (s *Server) watch() {
	post, due := s.post, healthDue{s.generation}
	s.nextPing = time.AfterFunc(cmp.Or(s.HealthInterval, healthInterval), func() { post(due) })
}

// healthDue sends no ping while calls are in flight. A server that handles one
// request at a time would not answer the ping, and calls have their own time limits.
func (s *Server) healthDue(m healthDue) {
	if m.generation != s.generation || s.conn == nil {
		return
	}
	answers := s.calls.answered()
	if answers != s.health.answers {
		s.health.answers, s.health.unanswered = answers, 0
	}
	if s.calls.count() > 0 {
		s.health.unanswered = 0
		s.watch()
		return
	}
	conn, online, post, generation := s.conn, s.online, s.post, s.generation
	s.Work.Go(func() {
		ctx, cancel := context.WithTimeout(online, healthTime)
		defer cancel()
		post(healthKnown{generation, answers, conn.Ping(ctx)})
	}, func(err error) { post(healthKnown{generation, answers, err}) })
}

// healthKnown ends a connection only if a ping proves that it is unusable: the server
// cannot be reached, it requires credentials, or it answered pings on this connection
// before and now answers no request. A health check never ends a connection with
// calls in flight.
func (s *Server) healthKnown(m healthKnown) {
	if m.generation != s.generation || s.conn == nil {
		return
	}
	s.logHealth(m.err)
	kind := toolscript.KindOf(m.err)
	switch {
	case m.err == nil:
		s.health.answered, s.health.unanswered = true, 0
	case s.calls.count() > 0, m.answers != s.calls.answered():
		s.health.unanswered = 0
	case kind == toolscript.Unauthorized, errors.Is(m.err, upstream.ErrUnreachable):
		s.ended(ended{s.generation, m.err, s.conn.Stderr()})
		return
	case s.health.answered && (kind == toolscript.Timeout || kind == toolscript.Unavailable):
		s.health.unanswered++
	}
	if s.health.unanswered < healthTries {
		s.watch()
		return
	}
	s.ended(ended{s.generation, &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("the server does not answer: %d health checks without an answer", s.health.unanswered),
	}, s.conn.Stderr()})
}

func (s *Server) logHealth(err error) {
	attrs := []any{slog.String("outcome", cmp.Or(string(toolscript.KindOf(err)), "ok"))}
	if err != nil {
		attrs = append(attrs, slog.String("error", toolscript.TextOf(err)))
	}
	s.Logger.Debug("health check", attrs...)
}
