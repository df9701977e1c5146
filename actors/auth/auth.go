// Package auth is the actor that owns the logins under way: which redirect is of
// which flow, and until when. A flow is good for one redirect and for five
// minutes, and a new one for the same server takes its place.
package auth

import (
	"crypto/sha256"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
)

// FlowTime is how long a person has for a login.
const FlowTime = 5 * time.Minute

// Auth is the state of the actor; only Receive touches it.
type Auth struct {
	log  *slog.Logger
	work *mailbox.Group
	post func(message any) // to this actor

	flows map[key]flow
}

// key is the hash of a state: a lookup by it takes a time that tells nothing of
// the states there are.
type key [sha256.Size]byte

func keyOf(state string) key { return sha256.Sum256([]byte(state)) }

type flow struct {
	attempt *oauth.Attempt
	timer   *time.Timer
}

// New makes the actor. work counts the requests to authorization servers, which
// may outlive it for a moment.
func New(log *slog.Logger, work *mailbox.Group) *Auth {
	return &Auth{log: log, work: work, flows: map[key]flow{}}
}

// Receive handles one message.
func (a *Auth) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		engine, self := c.Engine(), c.PID()
		a.post = func(message any) { engine.Send(self, message) }
	case Begin:
		a.begin(m)
	case begun:
		a.begun(m)
	case Finish:
		a.finish(m)
	case expired:
		a.drop(m.attempt)
	case actor.Stopped:
		a.stop()
	}
}

// begin asks the server and its authorization server on a goroutine. The flow is
// known before its URL is, so that no redirect can come too early.
func (a *Auth) begin(m Begin) {
	post := a.post
	a.work.Go(func() {
		attempt, err := m.Session.Begin(m.Ctx, m.Redirect)
		if err != nil {
			m.Reply.Send("", unavailable(err))
			return
		}
		post(begun{attempt})
		m.Reply.Send(attempt.URL(), nil)
	}, func(err error) { m.Reply.Send("", err) })
}

func (a *Auth) begun(m begun) {
	for _, other := range a.flows {
		if other.attempt.Server() == m.attempt.Server() {
			a.drop(other.attempt)
		}
	}
	post := a.post
	a.flows[keyOf(string(m.attempt.State()))] = flow{
		attempt: m.attempt,
		timer:   time.AfterFunc(FlowTime, func() { post(expired(m)) }),
	}
}

// finish ends a flow, whatever its redirect says: a state is good once.
func (a *Auth) finish(m Finish) {
	found, ok := a.flows[keyOf(m.Query.Get("state"))]
	if !ok {
		a.log.Warn("oauth callback refused: its state is unknown or expired; it may be a forgery")
		m.Reply.Send("", &toolscript.Error{Kind: toolscript.Invalid, Err: oauth.ErrState})
		return
	}
	a.drop(found.attempt)
	server := found.attempt.Server()
	a.work.Go(func() {
		m.Reply.Send(server, found.attempt.Finish(m.Ctx, m.Query))
	}, func(err error) { m.Reply.Send(server, err) })
}

func (a *Auth) drop(attempt *oauth.Attempt) {
	k := keyOf(string(attempt.State()))
	if found, ok := a.flows[k]; ok {
		found.timer.Stop()
		delete(a.flows, k)
	}
}

func (a *Auth) stop() {
	for _, f := range a.flows {
		f.timer.Stop()
	}
}

// unavailable gives an error of a flow that did not begin a kind.
func unavailable(err error) error {
	if toolscript.KindOf(err) != toolscript.Internal {
		return err
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}
