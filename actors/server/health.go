package server

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
)

// A connection can be up and its server deaf: it hangs, or the network has
// forgotten a connection that nobody used. So a server that has nothing to do is
// asked now and then.
const (
	healthPause = 30 * time.Second // between two questions
	healthTime  = 10 * time.Second // for the answer
	healthTries = 2                // questions without an answer, and the connection counts as lost
)

// watch asks for the health in a while, as long as this connection lasts.
func (s *Server) watch() {
	post, due := s.post, healthDue{s.generation}
	s.health = time.AfterFunc(healthPause, func() { post(due) })
}

// healthDue leaves a server in peace that has calls in flight: one that does one
// thing at a time may answer nothing else meanwhile, and calls have time-outs.
func (s *Server) healthDue(m healthDue) {
	if m.generation != s.generation || s.conn == nil {
		return
	}
	if len(s.calls) > 0 {
		s.unanswered = 0
		s.watch()
		return
	}
	conn, online, post, generation := s.conn, s.online, s.post, s.generation
	s.Work.Go(func() {
		ctx, cancel := context.WithTimeout(online, healthTime)
		defer cancel()
		post(healthKnown{generation, conn.Ping(ctx)})
	}, func(err error) { post(healthKnown{generation, err}) })
}

// healthKnown ends a connection whose server has not answered. Whatever it
// answered will do, also that it knows no such question.
func (s *Server) healthKnown(m healthKnown) {
	if m.generation != s.generation || s.conn == nil {
		return
	}
	switch toolscript.KindOf(m.err) {
	case toolscript.Timeout, toolscript.Unavailable:
		s.unanswered++
	default:
		s.unanswered = 0
	}
	if s.unanswered < healthTries {
		s.watch()
		return
	}
	s.ended(ended{s.generation, &toolscript.Error{
		Kind: toolscript.Unavailable,
		Err:  fmt.Errorf("the server does not answer: %d health checks without an answer", s.unanswered),
	}, s.conn.Stderr()})
}
