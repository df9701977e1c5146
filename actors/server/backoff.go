package server

import (
	"errors"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
)

// An unused server that does not start, or never stays up, is retried rarely, because
// each start uses CPU time. The delays up to maxAttempts are those of mailbox.Schedule.
const (
	maxAttempts = 8               // consecutive attempts, which take about a minute and a half
	longDelay   = 5 * time.Minute // between two attempts after maxAttempts
	useDelay    = time.Second     // between a failed attempt and the next one that a call triggers
)

// triesAgain reports whether the server is dialled again after a pause. In state needs_auth it is
// if the configuration has credentials, because their refusal may have been a temporary fault, or
// if the server belongs to a fleet, because its logins happen at the hub.
func (s *Server) triesAgain() bool {
	return s.state == toolscript.Backoff || s.state == toolscript.NeedsAuth && (s.Config.Credentials() != "" || s.Config.Kind().Hub)
}

// want starts a server on demand and ends the pause of a server that tries again. Only one
// attempt is in progress at a time, whatever the number of callers. The next one
// begins useDelay after the end of the previous one. These attempts do not count
// toward maxAttempts and do not change the schedule of the others.
func (s *Server) want() {
	switch {
	case s.asleep:
		s.asleep = false
		s.open()
	case s.triesAgain():
		if next := s.since.Add(useDelay); next.Before(s.nextTry) {
			s.scheduled = s.nextTry
			s.timer.Stop()
			s.tryAt(next)
			s.tell(catalog.ServerChanged{Status: s.status()})
		}
	}
}

// tryAt schedules a dial.
func (s *Server) tryAt(at time.Time) {
	s.nextTry = at
	post, again := s.post, redial{s.generation}
	s.timer = time.AfterFunc(time.Until(at), func() { post(again) })
}

// retry dials at once. It does nothing if the configuration does not allow the server to start.
func (s *Server) retry() {
	if s.Config.Problem != nil || s.Config.Disabled {
		return
	}
	switch s.state {
	case toolscript.Backoff, toolscript.Failed, toolscript.NeedsAuth:
	default: // connecting, ready, or ending
		return
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.attempt, s.retries, s.scheduled = 0, mailbox.NewSchedule(), time.Time{}
	s.connect()
}

// next enters the state that follows the end of a connection, and fails the lost calls.
func (s *Server) next(worked time.Duration, lost []*pendingCall) {
	s.state = s.after(s.lastErr)
	var delay time.Duration
	var attrs []slog.Attr
	if attempt := s.attempt; s.triesAgain() {
		delay = s.pause(worked)
		attrs = []slog.Attr{slog.Int("attempt", attempt), slog.Duration("retry", delay)}
		s.tryAt(time.Now().Add(delay))
	}
	s.enter(s.state)
	stopAll(lost, s.lost(delay))
	s.keepWaiting()
	s.logDown(s.state, attrs...)
	if s.state == toolscript.NeedsAuth && s.Login != nil {
		s.awaitLogin()
	}
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
	if mailbox.Forgets(worked) {
		s.attempt = 0
	}
	if s.attempt >= maxAttempts || permanent(s.lastErr) {
		return longDelay
	}
	return delay
}

// after returns the state that follows an error: backoff unless a retry cannot help.
func (s *Server) after(err error) toolscript.ServerState {
	var login *oauth.LoginError
	switch kind := toolscript.KindOf(err); {
	case errors.As(err, &login), kind == toolscript.Unauthorized:
		if s.loginHelps(login) {
			return toolscript.NeedsAuth
		}
		return toolscript.Backoff
	case kind == toolscript.Invalid, kind == toolscript.Unsupported:
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
