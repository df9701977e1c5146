package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	// A connection that does not answer for hubPings * hubPing counts as broken.
	hubPing  = 5 * time.Second
	hubPings = 2

	// breakTime is how long a hub tries to open a broken connection again. After that its
	// leases are over, and no gateway waits for its calls.
	breakTime = cluster.DefaultTTL

	againPause = 100 * time.Millisecond // between two attempts; a random time of at most the same length is added
)

// connect opens both connections of the hub. The second one is for leases and beats, which
// must not wait behind large messages.
func (f *Fleet) connect(ctx context.Context) (err error) {
	lost := sync.OnceFunc(func() { close(f.lost) })
	if f.nc, err = f.open(ctx, "toolscript hub "+f.options.Host, lost, f.mended); err != nil {
		return err
	}
	if f.control, err = f.open(ctx, "toolscript hub "+f.options.Host+" leases", lost, func() {}); err != nil {
		f.nc.Close()
	}
	return err
}

// open opens a connection. NATS reopens it after a break, and mended is called. A break that lasts longer than
// breakTime ends the connection, and lost is called.
func (f *Fleet) open(ctx context.Context, name string, lost, mended func()) (*nats.Conn, error) {
	var end *time.Timer // used by the callbacks, which NATS calls one after the other
	return cluster.Connect(ctx, f.options.Address, nats.Name(name), nats.PingInterval(hubPing), nats.MaxPingsOutstanding(hubPings),
		nats.MaxReconnects(-1), nats.ReconnectWait(againPause), nats.ReconnectJitter(againPause, againPause),
		nats.DisconnectErrHandler(func(nc *nats.Conn, err error) {
			if nc.IsClosed() {
				return
			}
			f.log.Warn("connection to the fleet broken", slog.String("connection", name), slog.Any("error", err))
			end = time.AfterFunc(breakTime, nc.Close)
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			if end == nil || !end.Stop() {
				return // it is closed
			}
			f.log.Info("connection to the fleet open again", slog.String("connection", name))
			mended()
		}),
		nats.ClosedHandler(func(*nats.Conn) { lost() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			f.log.Error("error of the connection to the fleet", slog.String("error", err.Error()))
		}))
}

var (
	errAnswerLost = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, RetryAfter: time.Second, Err: errors.New(
		"the connection of the hub broke while the answer was on its way; " + toolscript.UnknownOutcome)}
	errArgumentsLost = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentNo, RetryAfter: time.Second, Err: fmt.Errorf(
		"%w: the connection of the hub broke while the arguments were on their way; the call was not carried out", upstream.ErrUnreachable)}
)

// mended fails the calls that cannot go on after a break, because pieces were lost.
func (f *Fleet) mended() {
	for _, g := range f.all() {
		g.mended()
	}
}

func (g *gateway) mended() {
	var answers []uint64
	var incomplete []*servedCall
	g.mu.Lock()
	for number := range g.answers {
		answers = append(answers, number)
	}
	for _, c := range g.calls {
		if c.arrives() {
			incomplete = append(incomplete, c)
		}
	}
	g.mu.Unlock()
	for _, number := range answers {
		g.drop(number)
		g.answer(number, nil, errAnswerLost, nil, nil)
	}
	for _, c := range incomplete {
		c.fail(errArgumentsLost)
	}
}

// arrives reports whether arguments of the call are on their way.
func (c *servedCall) arrives() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.incoming != nil
}

// beats answers the beats of gateways over the connection that carries no large messages. If
// requests are missing, it uses the other one, so that answers on their way arrive before.
func (f *Fleet) beats() error {
	_, err := f.control.Subscribe(wire.FleetNames("*", "*").Hub(wire.Beat, f.id), func(m *nats.Msg) {
		g, number, ok := f.from(m.Subject, m.Reply)
		if !ok || !f.nc.IsConnected() {
			return
		}
		missing, by := g.missing(m.Data), f.control
		if len(missing) > 0 {
			by = f.nc
		}
		text, _ := json.Marshal(missing)                          // numbers always have a JSON form
		_ = by.Publish(g.names.Reply(number)+"."+wire.Done, text) // the gateway asks again
	})
	return errors.Join(err, f.control.Flush())
}
