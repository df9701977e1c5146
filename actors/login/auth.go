package login

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/oauth"
)

// FlowTime is the time limit of a login.
const FlowTime = 5 * time.Minute

// Logins is the state of the actor. Only Receive accesses it.
type Logins struct {
	log  *slog.Logger
	work *mailbox.Group
	post func(message any) // sends a message to this actor

	flows   map[key]flow
	devices map[string]context.CancelFunc // end the logins on other devices, by server

	life context.Context // ends with the actor
	end  context.CancelFunc
}

// key is the hash of the state parameter of a login. The time to look up a hash reveals
// nothing about the state.
type key [sha256.Size]byte

func keyOf(state string) key { return sha256.Sum256([]byte(state)) }

type flow struct {
	attempt *oauth.Attempt
	timer   *time.Timer
}

// New creates the actor. work counts the requests to authorization servers, which may
// outlive the actor for a short time.
func New(log *slog.Logger, work *mailbox.Group) *Logins {
	a := &Logins{log: log, work: work, flows: map[key]flow{}, devices: map[string]context.CancelFunc{}}
	a.life, a.end = context.WithCancel(context.Background())
	return a
}

// Receive handles one message.
func (a *Logins) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		engine, self := c.Engine(), c.PID()
		a.post = func(message any) { mailbox.Send(engine, self, message) }
	case Begin:
		a.begin(m)
	case begun:
		a.begun(m)
	case BeginDevice:
		a.beginDevice(m)
	case Finish:
		a.finish(m)
	case expired:
		a.drop(m.attempt)
	case actor.Stopped:
		a.stop()
	}
}

// begin sends the requests to the server and its authorization server in a goroutine. The flow is registered before
// its URL is known, so that no redirect can arrive too early.
func (a *Logins) begin(m Begin) {
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

// beginDevice waits in a goroutine until the person has logged in on the other device.
func (a *Logins) beginDevice(m BeginDevice) {
	name := m.Session.Server()
	if end := a.devices[name]; end != nil {
		end()
	}
	waiting, end := context.WithCancel(a.life)
	a.devices[name] = end
	a.work.Go(func() {
		defer end()
		attempt, err := m.Session.BeginDevice(m.Ctx)
		if err != nil {
			m.Reply.Send(oauth.DeviceCode{}, unavailable(err))
			return
		}
		m.Reply.Send(attempt.Code(), nil)
		switch err := attempt.Wait(waiting); {
		case err == nil:
			m.Done(name)
		case waiting.Err() == nil:
			a.log.Warn("login failed; run: "+toolscript.Command("auth", name), slog.String("server", name), slog.String("error", err.Error()))
		}
	}, func(err error) { m.Reply.Send(oauth.DeviceCode{}, err) })
}

func (a *Logins) begun(m begun) {
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

// finish ends a flow for any redirect with its state, because a state can be used only once.
func (a *Logins) finish(m Finish) {
	found, ok := a.flows[keyOf(m.Query.Get("state"))]
	if !ok {
		a.log.Warn("oauth callback refused: its state is unknown or expired; it may be a forgery")
		m.Reply.Send("", &toolscript.Error{Kind: toolscript.Invalid, Err: oauth.ErrState})
		return
	}
	a.drop(found.attempt)
	server := found.attempt.Server()
	a.work.Go(func() {
		err := found.attempt.Finish(m.Ctx, m.Query)
		if err != nil {
			a.log.Warn("login failed; run: "+toolscript.Command("auth", server), slog.String("server", server), slog.String("error", err.Error()))
		}
		m.Reply.Send(server, err)
	}, func(err error) { m.Reply.Send(server, err) })
}

func (a *Logins) drop(attempt *oauth.Attempt) {
	k := keyOf(string(attempt.State()))
	if found, ok := a.flows[k]; ok {
		found.timer.Stop()
		delete(a.flows, k)
	}
}

func (a *Logins) stop() {
	a.end()
	for _, f := range a.flows {
		f.timer.Stop()
	}
}

// unavailable sets the kind Unavailable for an error of Begin without a kind.
func unavailable(err error) error {
	if toolscript.KindOf(err) != toolscript.Internal {
		return err
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}
