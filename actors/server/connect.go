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

// connect starts the next generation of the connection.
func (s *Server) connect() {
	s.generation++
	s.attempt++
	s.listing = listing{}
	s.online, s.hangUp = context.WithCancel(s.life)
	k := &keeper{Options: s.Options, generation: s.generation, post: s.post}
	online := s.online
	s.Work.Go(func() { k.keep(online) }, k.panicked)
	s.enter(toolscript.Connecting)
}

// connected announces the tools before the state, so that whoever waits for a
// server to be ready finds its tools in the catalog.
func (s *Server) connected(m connected) {
	if m.generation != s.generation {
		return // its keeper has been told to close it
	}
	s.conn, s.info = m.conn, m.info
	s.connects++
	s.lastErr, s.stderr = nil, nil
	s.offer(m.tools)
	s.enter(toolscript.Ready)
	s.unanswered = 0
	s.watch()
	s.Logger.Info("server connected", slog.Int("tools", len(s.tools)), slog.String("version", m.info.Version))
	if s.listing.stale {
		s.list()
	}
}

// ended fails the calls in flight and says when the next try is. The tools stay
// known meanwhile, and calls of them are refused with the reason; only a server
// that will not be tried again loses them. The state is told before they go, so
// that a tool that cannot be found is never one of a server that passes for
// ready.
func (s *Server) ended(m ended) {
	if m.generation != s.generation {
		return
	}
	s.hangUp()
	s.generation++ // whatever else comes of this connection is late
	worked := time.Duration(0)
	if s.conn != nil {
		worked = time.Since(s.since)
	}
	s.conn = nil
	s.lastErr, s.stderr = m.err, m.stderr
	s.next(worked)
	if s.state == toolscript.Failed && len(s.tools) > 0 {
		s.tools, s.warnings = nil, nil
		s.tellTools()
	}
}

// next enters the state that follows the end of a connection.
func (s *Server) next(worked time.Duration) {
	state := after(s.lastErr)
	if state != toolscript.Backoff {
		s.abort(s.lost(0), unsent(0, s.lastErr))
		s.enter(state)
		s.Logger.Warn("server not connected", slog.String("state", string(state)), slog.String("error", reason(s.lastErr)))
		if state == toolscript.NeedsAuth && s.Login != nil {
			s.awaitLogin()
		}
		return
	}
	attempt, delay := s.attempt, s.retries.Next(worked)
	if retry.Forgets(worked) {
		s.attempt = 0
	}
	if s.attempt >= patience {
		delay = restTime
	}
	s.abort(s.lost(delay), unsent(delay, s.lastErr))
	s.nextTry = time.Now().Add(delay)
	post, again := s.post, redial{s.generation}
	s.timer = time.AfterFunc(delay, func() { post(again) })
	s.enter(toolscript.Backoff)
	mailbox.LogFailure(s.Logger, slog.LevelWarn, "server not connected", s.lastErr,
		slog.Int("attempt", attempt), slog.Duration("retry", delay))
}

// awaitLogin dials again when somebody has logged in, in whichever process.
func (s *Server) awaitLogin() {
	life, login, post, again := s.life, s.Login, s.post, redial{s.generation}
	s.Work.Go(func() {
		if login.Await(life) == nil {
			post(again)
		}
	}, func(err error) { mailbox.LogFailure(s.Logger, slog.LevelError, "login not awaited", err) })
}

func (s *Server) redial(m redial) {
	if m.generation == s.generation {
		s.connect()
	}
}

// after is the state that an error leads to: another try, unless it cannot help.
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

// reason is the text of an error without the name of the server, which stands
// beside it wherever it is shown.
func reason(err error) string {
	var e *toolscript.Error
	if errors.As(err, &e) && e.Err != nil {
		err = e.Err
	}
	return err.Error()
}
