package server

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
)

// connect dials. If the last dial ignores its time limit, connect waits for its end: each
// further dial could take as much memory and CPU time.
func (s *Server) connect() {
	if isOver(s.dialled) {
		s.connectAfter(nil)
		return
	}
	if s.awaiting == s.generation {
		return
	}
	s.awaiting = s.generation
	dialled, life, post, again := s.dialled, s.life, s.post, redial{s.generation}
	s.Work.Go(func() {
		select {
		case <-dialled:
			post(again)
		case <-life.Done():
		}
	}, func(err error) { mailbox.LogFailure(s.Logger, slog.LevelError, "waiting for a dial failed", err) })
}

// isOver reports whether a channel is closed, or was never made.
func isOver(done <-chan struct{}) bool {
	if done == nil {
		return true
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// connectAfter dials when previous is closed; nil means no condition.
func (s *Server) connectAfter(previous <-chan struct{}) {
	s.generation++
	if s.scheduled.IsZero() {
		s.attempt++
	}
	s.listing = listing{awaited: s.listing.awaited}
	if s.hangUp != nil {
		s.hangUp()
	}
	s.online, s.hangUp = context.WithCancel(s.life)
	s.closed = make(chan struct{})
	k := &connLoop{
		Options: s.Options, generation: s.generation, post: s.post, log: s.log, previous: previous, lastDial: s.dialled, dialled: make(chan struct{}), alone: s.alone,
	}
	s.dialled = k.dialled
	online, closed := s.online, s.closed
	s.Work.Go(func() {
		defer close(closed)
		defer k.dialEnded()
		k.keep(online)
	}, k.panicked)
	s.rested = s.state == toolscript.Resting
	state := toolscript.Connecting
	if s.rested {
		state = toolscript.Starting
	}
	s.enter(state)
}

// starting publishes what the process of the server does before it is connected.
func (s *Server) starting(m starting) {
	if m.generation == s.generation && s.conn == nil && s.state != m.state {
		s.enter(m.state)
	}
}

// startLate answers the callers that restarted the server. Calls have their own time limit.
func (s *Server) startLate(m startLate) {
	if m.generation == s.generation && s.conn == nil {
		s.answerRestarts()
	}
}

// connected publishes the tools before the state. A caller that waits for the state
// ready therefore finds the tools in the catalog.
func (s *Server) connected(m connected) {
	if m.generation != s.generation {
		return // the connLoop of the connection closes it
	}
	s.conn, s.info = m.conn, m.info
	if s.connects++; s.connects > 1 && s.rested {
		s.rests++
	}
	s.rested, s.alone = false, false
	before := s.all
	s.lastErr, s.stderr, s.logged = nil, nil, ""
	s.offer(m.tools, m.review)
	s.health = health{}
	s.watch()
	s.calls.open(s.generation)
	s.watchIdle(s.Config.Idle)
	s.refuseChanged(before)
	s.publish()
	s.enter(toolscript.Ready) // callers that see this state can use the Port
	s.Logger.Info("server connected", slog.Int("tools", len(s.tools)-skillsIn(s.tools)), slog.String("version", m.info.Version))
	s.hasRead()
	if s.Watches != nil {
		s.Watches.Connected(s.Name)
	}
	if s.listing.stale {
		s.list(false)
	}
	s.queue.each((*waiting).connected)
	s.advance()
}

// ended fails the calls in flight, except those that the connection still ends itself, and
// schedules the next attempt. The tools stay in the catalog, and calls of them fail with the
// reason; only a server in state failed loses them. The state is published before the tools
// are removed, so that a tool is never missing while its server appears to be ready.
func (s *Server) ended(m ended) {
	if m.generation != s.generation {
		return
	}
	s.withdraw()
	lost := s.lostCalls()
	s.hangUp()
	s.generation++ // later messages of this connection are ignored
	worked := time.Duration(0)
	if s.conn != nil {
		worked = time.Since(s.since)
	}
	s.reconnecting = s.conn != nil || s.reconnecting && s.attempt < maxAttempts
	s.conn = nil
	s.rested, s.alone = false, stalled(m.err)
	s.lastErr, s.stderr = m.err, m.stderr
	s.next(worked, lost)
	if s.state == toolscript.Failed && len(s.all) > 0 {
		s.all, s.tools, s.warnings, s.unmatched, s.review = nil, nil, nil, nil, Review{}
		s.notifyTools()
	}
}

// lostCalls returns the calls in flight that end with the connection.
func (s *Server) lostCalls() []*pendingCall {
	if _, ends := s.conn.(endsCalls); ends {
		return nil
	}
	return slices.DeleteFunc(s.calls.all(), func(c *pendingCall) bool { return c.on.generation != s.generation || c.worksOnTask() })
}

// logDown logs why the server is not connected. A reason that was logged already, since the
// last connection, is logged for debugging only: each call may cause an attempt.
func (s *Server) logDown(state toolscript.ServerState, attrs ...slog.Attr) {
	level, why := slog.LevelWarn, string(state)+": "+toolscript.TextOf(s.lastErr)
	if why == s.logged {
		level = slog.LevelDebug
	}
	s.logged = why
	mailbox.LogFailure(s.Logger, level, "server not connected", s.lastErr, append([]slog.Attr{slog.String("state", string(state))}, attrs...)...)
}

// awaitLogin dials after a login, in this or another process. The next dial ends it.
func (s *Server) awaitLogin() {
	s.online, s.hangUp = context.WithCancel(s.life)
	online, login, post, again := s.online, s.Login, s.post, redial{s.generation}
	s.Work.Go(func() {
		if login.Await(online) == nil {
			post(again)
		}
	}, func(err error) { mailbox.LogFailure(s.Logger, slog.LevelError, "waiting for a login failed", err) })
}

func (s *Server) redial(m redial) {
	if m.generation == s.generation {
		s.connect()
	}
}

// loginHelps reports whether a server that has refused a request may accept it after a login, or
// after the confirmation of a person. asked is what the request lacked; nil if unknown.
func (s *Server) loginHelps(asked *oauth.LoginError) bool {
	switch {
	case asked != nil && asked.Issuer != "":
		return true
	case s.Config.Authorizes():
		return false
	case s.Login == nil:
		return s.Config.Credentials() == "" && s.Config.API == nil // an API server without Login has no login
	default:
		return !s.Login.Plain()
	}
}
