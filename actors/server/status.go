package server

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
)

// soon is when to try again what will be settled in a moment.
const soon = time.Second

// enter changes the state and tells of it.
func (s *Server) enter(state toolscript.ServerState) {
	s.state, s.since = state, time.Now()
	s.tell(event.ServerChanged{Status: s.status()})
}

// announce tells everything again, in the order in which a change would: tools
// come before the state ready, and go after it.
func (s *Server) announce() {
	changed := event.ServerChanged{Status: s.status()}
	if s.state == toolscript.Ready {
		s.tellTools()
		s.tell(changed)
		return
	}
	s.tell(changed)
	s.tellTools()
}

func (s *Server) status() toolscript.ServerStatus {
	status := toolscript.ServerStatus{
		Name:         s.Name,
		Title:        s.info.Title,
		Instructions: s.info.Instructions,
		Type:         s.Config.Type,
		State:        s.state,
		Tools:        len(s.tools),
		Since:        s.since,
		Attempt:      s.attempt,
		InFlight:     len(s.calls),
		Queued:       s.queue.count,
		Restarts:     max(0, s.connects-1),
		Stderr:       s.stderr,
	}
	if s.state == toolscript.Backoff {
		next := s.nextTry
		status.NextRetry = &next
	}
	if s.lastErr != nil {
		status.Error = reason(s.lastErr)
	}
	if s.Login != nil {
		failure := ""
		status.OAuthStatus, failure = s.Login.Status()
		status.Error = cmp.Or(status.Error, failure)
	}
	return status
}

// Refusal is the answer to a call of a tool whose server is in a state other
// than ready.
func Refusal(status toolscript.ServerStatus, tool string) *toolscript.Error {
	e := &toolscript.Error{Kind: toolscript.Unavailable, Server: status.Name, Tool: tool}
	switch status.State {
	case toolscript.NeedsAuth:
		e.Kind = toolscript.Unauthorized
		e.Err = fmt.Errorf("%s needs authorization; run: toolscript auth %s", status.Name, status.Name)
		if strings.Contains(status.Error, "toolscript auth") { // it says more, such as why a login ended
			e.Err = errors.New(status.Error)
		}
	case toolscript.Backoff:
		e.RetryAfter = afterNext(status)
		e.Err = disconnected(status, e.RetryAfter)
	case toolscript.Failed:
		e.Err = fmt.Errorf("not started: %s", status.Error)
	case toolscript.Stopped:
		e.Err = errors.New("stopped")
	case toolscript.Connecting, toolscript.Ready:
		e.RetryAfter = soon
		e.Err = errors.New("still connecting; try again in a moment")
		if status.State == toolscript.Connecting && status.Error != "" { // another try is under way
			e.Err = disconnected(status, e.RetryAfter)
		}
	}
	return e
}

func disconnected(status toolscript.ServerStatus, retry time.Duration) error {
	return fmt.Errorf("not connected (%s); try again in %s", status.Error, retry)
}

// afterNext is when the next try will have shown its result, if all goes well:
// in whole seconds, rounded up.
func afterNext(status toolscript.ServerStatus) time.Duration {
	wait := soon
	if status.NextRetry != nil {
		wait += max(time.Until(*status.NextRetry), 0)
	}
	return (wait + time.Second - 1).Truncate(time.Second)
}
