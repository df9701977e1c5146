package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/internal/retry"
	"github.com/toolscript/toolscript/transport/oauth"
)

func (s *Server) connect() { s.connectAfter(nil) }

// connectAfter dials when previous is closed; nil means no condition.
func (s *Server) connectAfter(previous <-chan struct{}) {
	s.generation++
	if s.scheduled.IsZero() {
		s.attempt++
	}
	s.listing = listing{}
	s.online, s.hangUp = context.WithCancel(s.life)
	s.closed = make(chan struct{})
	k := &connLoop{Options: s.Options, generation: s.generation, post: s.post, log: s.log, previous: previous}
	online, closed := s.online, s.closed
	s.Work.Go(func() {
		defer close(closed)
		k.keep(online)
	}, k.panicked)
	state := toolscript.Connecting
	if s.state == toolscript.Resting {
		state = toolscript.Starting
	}
	s.enter(state)
}

// connected publishes the tools before the state. A caller that waits for the state
// ready therefore finds the tools in the catalog.
func (s *Server) connected(m connected) {
	if m.generation != s.generation {
		return // its connLoop closes the connection
	}
	s.conn, s.info = m.conn, m.info
	if s.connects++; s.connects > 1 && s.state == toolscript.Starting {
		s.rests++
	}
	before := s.all
	s.lastErr, s.stderr = nil, nil
	s.offer(m.tools, m.review)
	s.enter(toolscript.Ready)
	s.health = health{}
	s.watch()
	s.calls.open(s.generation)
	s.watchIdle(s.Config.Idle)
	s.refuseChanged(before)
	s.publish()
	s.Logger.Info("server connected", slog.Int("tools", len(s.tools)), slog.String("version", m.info.Version))
	if s.listing.stale {
		s.list()
	}
	s.advance()
}

// ended fails the calls in flight and schedules the next attempt. The tools stay in
// the catalog, and calls of them fail with the reason; only a server in state failed
// loses them. The state is published before the tools are removed, so that a tool is
// never missing while its server appears to be ready.
func (s *Server) ended(m ended) {
	if m.generation != s.generation {
		return
	}
	s.withdraw()
	s.hangUp()
	s.generation++ // later messages of this connection are ignored
	worked := time.Duration(0)
	if s.conn != nil {
		worked = time.Since(s.since)
	}
	s.reconnecting = s.conn != nil || s.reconnecting && s.attempt < maxAttempts
	s.conn = nil
	s.lastErr, s.stderr = m.err, m.stderr
	s.next(worked)
	if s.state == toolscript.Failed && len(s.all) > 0 {
		s.all, s.tools, s.warnings, s.review = nil, nil, nil, Review{}
		s.notifyTools()
	}
}

// next enters the state that follows the end of a connection.
func (s *Server) next(worked time.Duration) {
	state := after(s.lastErr)
	if state != toolscript.Backoff {
		s.abort(s.lost(0))
		s.enter(state)
		s.refuseWaiting()
		s.Logger.Warn("server not connected", slog.String("state", string(state)), slog.String("error", reason(s.lastErr)))
		if state == toolscript.NeedsAuth && s.Login != nil {
			s.awaitLogin()
		}
		return
	}
	attempt, delay := s.attempt, s.pause(worked)
	s.abort(s.lost(delay))
	s.tryAt(time.Now().Add(delay))
	s.enter(toolscript.Backoff)
	s.keepWaiting()
	mailbox.LogFailure(s.Logger, slog.LevelWarn, "server not connected", s.lastErr,
		slog.Int("attempt", attempt), slog.Duration("retry", delay))
}

// pause returns the time until the next attempt. worked is how long the connection
// was up.
func (s *Server) pause(worked time.Duration) time.Duration {
	planned := time.Until(s.scheduled)
	s.scheduled = time.Time{}
	if worked == 0 && planned > 0 {
		return planned
	}
	delay := s.retries.Next(worked)
	if retry.Forgets(worked) {
		s.attempt = 0
	}
	if s.attempt >= maxAttempts || permanent(s.lastErr) {
		return longDelay
	}
	return delay
}

// awaitLogin dials after a login, in this or another process.
func (s *Server) awaitLogin() {
	life, login, post, again := s.life, s.Login, s.post, redial{s.generation}
	s.Work.Go(func() {
		if login.Await(life) == nil {
			post(again)
		}
	}, func(err error) { mailbox.LogFailure(s.Logger, slog.LevelError, "waiting for a login failed", err) })
}

func (s *Server) redial(m redial) {
	if m.generation == s.generation {
		s.connect()
	}
}

// after returns the state that follows an error: backoff unless a retry cannot help.
func after(err error) toolscript.ServerState {
	var login *oauth.LoginError
	if errors.As(err, &login) {
		return toolscript.NeedsAuth
	}
	switch toolscript.KindOf(err) {
	case toolscript.Unauthorized:
		return toolscript.NeedsAuth
	case toolscript.Invalid, toolscript.Unsupported:
		return toolscript.Failed
	default:
		return toolscript.Backoff
	}
}

// permanent reports whether a retry cannot help until the cause of the error is
// removed.
func permanent(err error) bool {
	var e *toolscript.Error
	return errors.As(err, &e) && e.Permanent
}

// reason returns the text of an error without the server's name, which is displayed
// separately.
func reason(err error) string {
	var e *toolscript.Error
	if errors.As(err, &e) && e.Err != nil {
		err = e.Err
	}
	return err.Error()
}
