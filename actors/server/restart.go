package server

import (
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Restart ends the connection with its process, and connects again once they have ended.
// Calls in flight fail, and calls that were not sent wait for the new connection. Reply
// gets the status after the first attempt to connect. The error is Unavailable if the
// configuration does not allow the server to start.
type Restart struct {
	Reply mailbox.Reply[toolscript.ServerStatus]
}

// restarts is a connection to a server that other gateways use too. Without Restart, the end of
// the connection would not end the process.
type restarts interface{ Restart() }

var errRestarted = errors.New("the server was restarted")

// restart resets the backoff, as retry does, but ends a connection too.
func (s *Server) restart(m Restart) {
	if s.Config.Problem != nil || s.Config.Disabled {
		m.Reply.Send(toolscript.ServerStatus{}, Refusal(s.status(), ""))
		return
	}
	s.restarts = append(s.restarts, m.Reply)
	if s.asleep {
		s.asleep = false
		s.open()
		return
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.withdraw()
	if shared, ok := s.conn.(restarts); ok {
		shared.Restart()
	}
	s.hangUp()
	s.conn, s.alone = nil, false
	s.lastErr, s.stderr, s.reconnecting = errRestarted, nil, true
	s.attempt, s.retries, s.scheduled = 0, mailbox.NewSchedule(), time.Time{}
	s.abort(s.lost(0))
	s.connectAfter(s.closed)
	s.keepWaiting()
	s.Logger.Info("server restarting")
}

// tellRestarted answers the waiting Restart requests when the first attempt has ended.
func (s *Server) tellRestarted() {
	if !s.state.Connects() {
		s.answerRestarts()
	}
}

func (s *Server) answerRestarts() {
	for _, reply := range s.restarts {
		reply.Send(s.status(), nil)
	}
	s.restarts = nil
}

// refuseRestarts answers the waiting Restart requests when the actor ends.
func (s *Server) refuseRestarts() {
	for _, reply := range s.restarts {
		reply.Send(toolscript.ServerStatus{}, mailbox.ErrStopped)
	}
	s.restarts = nil
}
