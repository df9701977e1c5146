package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// ErrChanged is the error of a call that was not sent, because the server has started with
// another definition of the tool than the call was checked against.
var ErrChanged = errors.New("the server has started with another definition of the tool; call again")

// watchIdle has the actor check after a time whether the server may rest.
func (s *Server) watchIdle(after time.Duration) {
	if s.idle != nil {
		s.idle.Stop()
	}
	if s.conn == nil || !s.Config.Rests() {
		return
	}
	post, due := s.post, restDue{s.generation}
	s.idle = time.AfterFunc(after, func() { post(due) })
}

// restDue ends the process of a server without calls. The tools stay in the catalog. The
// next call starts the server again, once the process has ended.
func (s *Server) restDue(m restDue) {
	if m.generation != s.generation || s.conn == nil || !s.Config.Rests() {
		return
	}
	if s.pages.any() || s.Watches != nil && s.Watches.Subscribed(s.Name) {
		s.watchIdle(s.Config.Idle)
		return
	}
	if left := s.calls.rest(s.Config.Idle); left > 0 {
		s.watchIdle(left)
		return
	}
	s.withdraw()
	s.hangUp()
	s.generation++ // later messages of this connection are ignored
	s.conn = nil
	s.lastErr, s.stderr = nil, nil
	s.attempt, s.retries, s.reconnecting = 0, mailbox.NewSchedule(), false
	s.asleep = true
	s.enter(toolscript.Resting)
	if s.Rested != nil {
		s.Rested()
	}
	s.Logger.Info("server rests", slog.Duration("idle", s.Config.Idle))
}

// rest returns 0 and reserves all slots for the actor if the server has no calls and the last
// call ended at least idle ago. Otherwise it returns the time until then.
func (f *inFlight) rest(idle time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.calls) > 0 || len(f.parked) > 0 || f.queued {
		return idle
	}
	if left := idle - time.Since(f.used); left > 0 {
		return left
	}
	f.generation = 0
	return 0
}

// refuseChanged fails waiting calls of tools whose definition has changed since the calls
// were checked. before are the tools that were known before the server started.
func (s *Server) refuseChanged(before []toolscript.Tool) {
	changed := func(w waiting) bool {
		checked := w.Checked
		if checked == nil {
			checked = find(before, w.own())
		}
		if w.Fetch != nil || checked == nil {
			return false
		}
		now := find(s.all, w.own())
		return now == nil || !Same(checked.Own(), *now)
	}
	s.queue.refuseIf(changed, func(waiting) error {
		return &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: soon, Err: ErrChanged}
	})
}

// find returns the tool of this name; nil if there is none.
func find(tools []toolscript.Tool, name string) *toolscript.Tool {
	i := slices.IndexFunc(tools, func(t toolscript.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &tools[i]
}

// Same reports whether arguments and approvals for a are also valid for b. It ignores white
// space in schemas, which stored tools do not have.
func Same(a, b toolscript.Tool) bool {
	return a.Description == b.Description && reflect.DeepEqual(a.Annotations, b.Annotations) && sameJSON(a.InputSchema, b.InputSchema)
}

func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var one, other bytes.Buffer
	return json.Compact(&one, a) == nil && json.Compact(&other, b) == nil && bytes.Equal(one.Bytes(), other.Bytes())
}
