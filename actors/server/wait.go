package server

import (
	"cmp"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// mayConnect reports whether a call can wait for a connection. It sets the end of the
// wait.
func (s *Server) mayConnect(m *Call) bool {
	switch s.state {
	case toolscript.Connecting, toolscript.Installing, toolscript.Starting, toolscript.Backoff:
	default:
		return false
	}
	s.waits(m)
	return time.Until(m.until) > 0
}

// waits sets the end of a call's wait for a connection, unless it is already set. The
// wait is limited by Wait and by the server's time limit for calls. Every call waits for the
// start of a server after a rest: the rest is not the fault of the caller.
func (s *Server) waits(m *Call) {
	if !m.until.IsZero() {
		return
	}
	wait := min(m.Wait, cmp.Or(s.Config.Timeout, upstream.DefaultTimeout))
	if s.rested {
		wait = max(wait, s.startLimit()+hangUpTime) // an inactive start ends earlier, with a reason
	}
	m.until = time.Now().Add(wait)
	if !s.rested && (s.connects > 0 || s.state == toolscript.Backoff) {
		m.since = time.Now()
	}
}

// leastTime is the least time limit of a call that has waited for another connection.
const leastTime = 250 * time.Millisecond

// rest returns the part of a time limit that is left for a call. The wait for another connection counts, so that a
// call takes no longer than its limit; the wait for the first start of a server does not.
func (m *Call) rest(limit time.Duration, now time.Time) time.Duration {
	waited := m.waited
	if !m.since.IsZero() {
		waited += now.Sub(m.since)
	}
	return max(limit-waited, min(limit, leastTime))
}

// connected ends a call's wait for a connection. Its wait for its turn begins, which has no limit of the server.
func (w *waiting) connected() {
	if w.late != nil {
		w.late.Stop()
		w.late = nil
	}
	if !w.since.IsZero() {
		w.waited += time.Since(w.since)
	}
	w.since = time.Time{}
	if !w.unsent {
		w.until = time.Time{}
	}
}

// late starts the timer for the end of a call's wait.
func (s *Server) late(w waiting) *time.Timer {
	post, over := s.post, waitOver{w.Run, w.id}
	return time.AfterFunc(time.Until(w.until), func() { post(over) })
}

func (s *Server) waitOver(m waitOver) {
	if s.conn != nil {
		return // the call waits for its turn
	}
	if w, ok := s.queue.remove(m.run, m.id); ok && w.end() {
		w.refuse(Refusal(s.status(), w.Tool))
	}
}

// notSent queues a call that was not sent because the server cannot be reached, and ends the connection. A call that
// the server refuses until a person has finished pages waits for these pages.
func (s *Server) notSent(m notSent) {
	if pagesOf(m.err) != nil {
		s.visitPages(m.call, m.err)
		return
	}
	s.unreachable(unreachable{m.generation, m.err})
	m.call.unsent = true
	s.waits(&m.call)
	s.call(m.call)
}

// unreachable ends a connection whose server cannot be reached.
func (s *Server) unreachable(m unreachable) {
	if s.conn == nil || m.generation != s.generation {
		return
	}
	why := m.err
	if err := s.conn.Err(); err != nil { // the call came after the end; the kind decides what follows
		why = err
	}
	s.ended(ended{s.generation, why, s.conn.Stderr()})
}

// keepWaiting lets unsent calls wait for the next attempt after a connection or an
// attempt has ended. Calls fail if the server is not reconnecting, if their Wait is
// 0, or if a refusal is the reason.
func (s *Server) keepWaiting() {
	refused := s.state == toolscript.NeedsAuth || s.state == toolscript.Failed || toolscript.KindOf(s.lastErr) == toolscript.Unauthorized
	if !s.reconnecting || refused || permanent(s.lastErr) {
		s.refuseWaiting()
		return
	}
	s.queue.each(func(w *waiting) {
		if w.late == nil && w.Wait > 0 {
			s.waits(&w.Call)
			w.late = s.late(*w)
		}
	})
	s.queue.refuseIf(func(w waiting) bool { return w.Wait == 0 }, s.notBegun)
}

func (s *Server) refuseWaiting() { s.queue.refuse(s.notBegun) }

// notBegun returns the error of a call that was not sent. Unlike a call in flight, such
// a call can be repeated safely.
func (s *Server) notBegun(w waiting) error {
	e := Refusal(s.status(), w.Tool)
	if w.until.IsZero() { // the call waited for its turn on a connection
		_, why := s.loss()
		e.Err = fmt.Errorf("the connection was lost before the call was sent (%s)", why)
	}
	return e
}
