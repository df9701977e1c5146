package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// soon is the suggested delay before a retry if the state is about to change.
const soon = time.Second

// enter changes the state and publishes it.
func (s *Server) enter(state toolscript.ServerState) {
	s.state, s.since = state, time.Now()
	s.tell(catalog.ServerChanged{Status: s.status()})
	s.tellRestarted()
}

// announce publishes all facts again, in the order of a state change: the tools before the
// state ready, but after any other state.
func (s *Server) announce() {
	changed := catalog.ServerChanged{Status: s.status()}
	if s.state == toolscript.Ready {
		s.notifyTools()
		s.tell(changed)
		return
	}
	s.tell(changed)
	s.notifyTools()
}

// confinement returns the restrictions of a confined server process; nil without confinement.
func confinement(c upstream.Config) []toolscript.Confinement {
	if c.Confine == nil {
		return nil
	}
	return confined.Parts(c.Confine.Net)
}

func (s *Server) status() toolscript.ServerStatus {
	status := toolscript.ServerStatus{
		Name:         s.Name,
		Title:        s.info.Title,
		Icon:         s.info.Icon,
		Instructions: s.info.Instructions,
		Type:         s.Config.Type,
		Shared:       s.Config.Shared,
		Confined:     confinement(s.Config),
		Hosts:        s.hosts(),
		PID:          s.pid(),
		State:        s.state,
		Rested:       s.rested,
		Disabled:     s.Config.Disabled,
		Tools:        len(s.tools) - skillsIn(s.tools),
		Skills:       skillsIn(s.tools),
		Since:        s.since,
		Attempt:      s.attempt,
		InFlight:     s.calls.count(),
		Queued:       s.queue.count,
		RateLimit:    s.rateStatus(),
		Restarts:     max(0, s.connects-1-s.rests),
		Stderr:       s.stderr,
		Protocol:     s.info.Protocol,
		Deviations:   s.deviations(),
	}
	if s.triesAgain() {
		next := s.nextTry
		status.NextRetry = &next
	}
	if s.lastErr != nil {
		status.Error, status.Permanent = toolscript.TextOf(s.lastErr), permanent(s.lastErr)
	}
	if s.Login != nil {
		s.describeLogin(&status)
	}
	status.Pinned, status.Suspicions, status.Reviews = s.review.Pinned, s.review.Suspicions, s.reviews
	for _, t := range s.texts {
		status.Suspicions = append(slices.Clip(status.Suspicions), t.Suspicions...)
	}
	for _, c := range s.review.Changes { // changes of excluded tools are not shown
		if c.Tool == "" || s.Config.Selects(c.Tool) {
			c.Name = s.Config.Overrides[c.Tool].Name
			status.Pins = append(status.Pins, c)
		}
	}
	for _, t := range s.tools {
		if t.Original != nil {
			status.Overrides = append(status.Overrides, t.Overridden())
		}
	}
	return status
}

// pid returns the process of the server; 0 if this program has not started one.
func (s *Server) pid() int {
	if process, ok := s.conn.(interface{ PID() int }); ok {
		return process.PID()
	}
	return 0
}

// deviations returns the deviations from the MCP specification that the connection has found; nil for servers of
// other kinds.
func (s *Server) deviations() []string {
	if conn, ok := s.conn.(interface{ Deviations() []string }); ok {
		return conn.Deviations()
	}
	return nil
}

// hosts returns the hosts that offer a server of a fleet.
func (s *Server) hosts() []string {
	if fleet, ok := s.conn.(interface{ Hosts() []string }); ok {
		return fleet.Hosts()
	}
	return nil
}

// describeLogin adds the state of the login. After a failed login, the error contains
// the reason and the time.
func (s *Server) describeLogin(status *toolscript.ServerStatus) {
	failure := ""
	status.OAuthStatus, failure = s.Login.Status()
	if status.OAuthError = failure; failure != "" {
		_, at := s.Login.Failure()
		if !at.IsZero() {
			status.OAuthFailed = &at
		}
		if s.state == toolscript.NeedsAuth {
			status.Error = (&oauth.LoginError{Server: s.Name, Reason: failure, At: at}).Error()
		}
	}
	status.Error = cmp.Or(status.Error, failure)
}

// Refusal returns the error of a call to a server that is not ready.
func Refusal(status toolscript.ServerStatus, tool string) *toolscript.Error {
	e := &toolscript.Error{Kind: toolscript.Unavailable, Server: status.Name, Tool: tool}
	switch status.State {
	case toolscript.NeedsAuth:
		e.Kind = toolscript.Unauthorized
		e.Err, e.Next = fmt.Errorf("%s needs authorization", status.Name), "run: "+toolscript.Command("auth", status.Name)
		if strings.Contains(status.Error, "toolscript auth") { // the error is more precise: it may say why a login ended
			e.Err, e.Next = errors.New(status.Error), ""
		}
	case toolscript.Backoff:
		e.RetryAfter = afterNext(status)
		e.Err = disconnected(status, e.RetryAfter)
		if status.Permanent {
			e.RetryAfter, e.Permanent = 0, true
			e.Err, e.Next = fmt.Errorf("not connected (%s)", status.Error), "then call again, or run: toolscript gateway reload"
		}
	case toolscript.Failed:
		e.Err = fmt.Errorf("not started: %s", status.Error)
	case toolscript.Stopped:
		e.Err = errors.New(cmp.Or(status.Error, "stopped"))
		if status.Disabled {
			e.Err, e.Next = errDisabled, "run: "+toolscript.Command("enable", status.Name)
		}
	case toolscript.Installing, toolscript.Starting:
		e.RetryAfter = soon
		e.Err = fmt.Errorf("%s, which goes on; call again in a moment", status.Start(time.Now()))
	case toolscript.Connecting, toolscript.Ready, toolscript.Resting:
		e.RetryAfter = soon
		e.Err = errors.New("still connecting; try again in a moment")
		if status.State == toolscript.Connecting && status.Error != "" { // a retry is in progress
			e.Err = disconnected(status, e.RetryAfter)
		}
		if status.State == toolscript.Connecting && strings.Contains(status.Error, "toolscript auth") { // most likely the retry needs it too
			e.Kind, e.Err = toolscript.Unauthorized, errors.New(status.Error)
		}
	}
	return e
}

func disconnected(status toolscript.ServerStatus, retry time.Duration) error {
	return fmt.Errorf("not connected (%s); try again in %s", status.Error, retry)
}

// afterNext returns the expected time until the result of the next attempt, in whole
// seconds, rounded up.
func afterNext(status toolscript.ServerStatus) time.Duration {
	wait := soon
	if status.NextRetry != nil {
		wait += max(time.Until(*status.NextRetry), 0)
	}
	return (wait + time.Second - 1).Truncate(time.Second)
}
