package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// A person can answer only a few requests at a time. With more, the important one would be
// overlooked, so further calls wait until a request has ended.
const (
	maxOpenOfRun = 5    // requests of one run
	maxOpen      = 10   // requests of the gateway
	maxQueued    = 1000 // calls that wait for their request; more are denied
)

// Some requests end without an answer of a person: they expire, or the program that made
// them withdraws or denies them. After many such requests, the next are shown slowly.
const (
	burst      = 20              // requests without an answer of a person that are shown at once
	shownEvery = 6 * time.Second // time between two requests after that
)

// queued is a call that has no request yet.
type queued struct {
	Ask
	detach func() bool // stops observing the context of the call
}

// group returns the name of the requests that share maxOpenOfRun: those of one run, of calls
// from outside any run, or of pins.
func (m Ask) group() string {
	if m.Approval.Pin {
		return "pins"
	}
	return "run " + m.Approval.Run
}

// ticket creates the request of a call, or lets the call wait for its turn.
func (a *Approvals) ticket(m Ask) {
	switch {
	case a.room(m.group()):
		a.open(m)
	case m.Approval.Pin: // the sender does not wait for a turn
		m.Reply.Send(Ticket{}, &toolscript.Error{Kind: toolscript.Busy, RetryAfter: shownEvery, Err: errors.New(
			"too many requests for approval are open; answer them first (toolscript approvals), and try again")})
	case len(a.waiting) >= maxQueued:
		m.Reply.Send(Ticket{}, denied(m.Approval.Tool, fmt.Sprintf("%d calls wait to be shown to a person already; make fewer calls at a time", maxQueued)))
	default:
		reply, later := m.Reply, make(mailbox.Reply[Ticket], 1)
		m.Reply = later
		q, post := &queued{Ask: m}, a.post
		q.detach = context.AfterFunc(m.Ctx, func() { post(left{q}) })
		a.waiting = append(a.waiting, q)
		reply.Send(Ticket{Queued: later}, nil)
	}
}

// next turns waiting calls into requests as far as there is room, the longest waiting call
// first.
func (a *Approvals) next() {
	a.waiting = slices.DeleteFunc(a.waiting, func(q *queued) bool {
		if !a.known(q.Ask) {
			if !a.room(q.group()) {
				return false
			}
			a.open(q.Ask)
		}
		q.detach()
		return true
	})
}

// leave forgets a call that has ended before its request was made. Nothing waits for the
// reply any more.
func (a *Approvals) leave(gone *queued) {
	a.waiting = slices.DeleteFunc(a.waiting, func(q *queued) bool { return q == gone })
}

// room reports whether a request of a group may be shown now.
func (a *Approvals) room(group string) bool {
	if len(a.pending) >= maxOpen {
		return false
	}
	open := 0
	for _, r := range a.pending {
		if r.group() == group {
			open++
		}
	}
	if open >= maxOpenOfRun {
		return false
	}
	wait := a.unanswered.wait()
	if wait > 0 && a.wake == nil {
		post := a.post
		a.wake = time.AfterFunc(wait, func() { post(turn{}) })
	}
	return wait == 0
}

// unanswered measures the requests that no person has answered, as a leaky bucket: a request adds shownEvery to
// level, and the answer of a person subtracts it again.
type unanswered struct{ level time.Time }

func (u *unanswered) add() {
	if now := time.Now(); u.level.Before(now) {
		u.level = now
	}
	u.level = u.level.Add(shownEvery)
}

func (u *unanswered) remove() { u.level = u.level.Add(-shownEvery) }

// wait returns the time until the next request may be shown.
func (u *unanswered) wait() time.Duration {
	return max(0, time.Until(u.level.Add(-(burst-1)*shownEvery)))
}
