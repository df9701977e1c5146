package server

import (
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/retry"
)

// An unused server that does not start, or never stays up, is retried rarely, because
// each start uses CPU time.
const (
	maxAttempts = 8               // consecutive attempts, which take about a minute and a half
	longDelay   = 5 * time.Minute // between two attempts after that
	useDelay    = time.Second     // between a failed attempt and the next one that a call triggers
)

// want starts a server on demand and ends the pause of a server in backoff. Only one
// attempt is in progress at a time, whatever the number of callers. The next one
// begins useDelay after the end of the previous one. These attempts do not count
// toward maxAttempts and do not change the schedule of the others.
func (s *Server) want() {
	switch {
	case s.asleep:
		s.asleep = false
		s.open()
	case s.state == toolscript.Backoff:
		if next := s.since.Add(useDelay); next.Before(s.nextTry) {
			s.scheduled = s.nextTry
			s.timer.Stop()
			s.tryAt(next)
			s.tell(event.ServerChanged{Status: s.status()})
		}
	}
}

// tryAt schedules a dial in state backoff.
func (s *Server) tryAt(at time.Time) {
	s.nextTry = at
	post, again := s.post, redial{s.generation}
	s.timer = time.AfterFunc(time.Until(at), func() { post(again) })
}

// retry dials at once. It does nothing while a login is pending or the configuration
// does not allow the server to start.
func (s *Server) retry() {
	awaited := s.state == toolscript.NeedsAuth && s.Login != nil
	if s.Config.Problem != nil || s.Config.Disabled || awaited {
		return
	}
	switch s.state {
	case toolscript.Backoff:
		s.timer.Stop()
	case toolscript.Failed, toolscript.NeedsAuth:
	default: // connecting, ready, or ending
		return
	}
	s.attempt, s.retries, s.scheduled = 0, retry.New(), time.Time{}
	s.connect()
}
