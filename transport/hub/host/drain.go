package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// DrainTime bounds how long a hub that is ending waits for its calls in flight. It is longer than
// the ten seconds that every accepted call has to end.
const DrainTime = 12 * time.Second

// drainTick is the time between two checks for calls in flight.
const drainTick = 20 * time.Millisecond

// settleTime bounds the wait for the message Settled of the gateways, which stopped processes
// do not send.
const settleTime = time.Second

// errDraining is the error of requests to a hub that is ending.
var errDraining = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentNo, RetryAfter: time.Second, Err: fmt.Errorf(
	"%w: the hub is ending; the call was not carried out", upstream.ErrUnreachable)}

// Drain refuses new calls and gateways, and returns when the calls in flight have been answered,
// after DrainTime at the latest. After that, the gateways send nothing that the end of their
// connections could lose.
func (h *Host) Drain() {
	h.draining.Store(true)
	all := h.all()
	for _, g := range all {
		_ = g.tell(0, wire.Ending, nil) // without the connection, there is nothing to wait for
	}
	ctx, cancel := context.WithTimeout(h.closing, DrainTime)
	defer cancel()
	settle, done := context.WithTimeout(ctx, settleTime)
	defer done()
	for _, g := range all {
		select {
		case <-g.settled:
		case <-g.life.Done():
		case <-settle.Done():
		}
	}
	h.drain(ctx, nil)
	_ = h.nc.Flush() // the last answers; without the connection, they are lost
}

// drain waits until no call of a server is in flight, ctx ends, or the connection is lost. If
// server is nil, it waits for all servers, and for the answers that are being sent.
func (c *core) drain(ctx context.Context, server *target) {
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for c.busy(server) && !c.nc.IsClosed() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (c *core) busy(server *target) bool {
	return slices.ContainsFunc(c.all(), func(g *gateway) bool { return g.busy(server) })
}

func (c *core) all() []*gateway {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.gateways))
}

// busy reports whether a call of the gateway to a server is in flight. If server is nil, every
// call and every answer that is being sent counts.
func (g *gateway) busy(server *target) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if server == nil {
		return len(g.calls)+len(g.answers) > 0
	}
	for _, c := range g.calls {
		if c.server == server {
			return true
		}
	}
	return false
}

// unsubscribe ends subscriptions. wait returns when the messages that had arrived before were
// handled, or the connection has ended. Without Drain, the NATS client would drop the messages
// that have not been handled: their senders would wait for a hub that never had them.
func (c *core) unsubscribe(subs []*nats.Subscription) (wait func()) {
	var handled []chan struct{}
	for _, sub := range subs {
		done := make(chan struct{})
		sub.SetClosedHandler(func(string) { close(done) })
		if sub.Drain() == nil { // otherwise the connection has ended, and with it the subscription
			handled = append(handled, done)
		}
	}
	return func() {
		for _, done := range handled {
			select {
			case <-done:
			case <-c.lost:
				return
			}
		}
	}
}
