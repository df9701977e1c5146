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
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// DrainTime bounds the wait of a hub that ends for its calls in flight. It is longer than the ten
// seconds within which a call that was accepted must be able to end.
const DrainTime = 12 * time.Second

// drainTick is the time between two looks whether calls are in flight.
const drainTick = 20 * time.Millisecond

// settleTime bounds the wait for gateways that do not say that they send no more calls, as
// stopped processes.
const settleTime = time.Second

// errDraining is the error of requests to a hub that ends.
var errDraining = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentNo, RetryAfter: time.Second, Err: fmt.Errorf(
	"%w: the hub is ending; the call was not carried out", mcpclient.ErrUnreachable)}

// Drain takes no more calls and no more gateways, and returns when the calls in flight have
// been answered, after DrainTime at the latest. The gateways then send nothing that the end of
// their connections could lose.
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
	_ = h.nc.Flush() // the last answers; as above
}

// drain waits until no call of a server is in flight, ctx ends, or the connection is lost. nil
// are all servers: then it also waits for the answers that are being sent.
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

// busy reports whether the hub has a call of the gateway to a server; nil: or anything else that
// it has to answer.
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
// handled, or the connection has ended. A subscription that is ended in another way drops the
// messages that wait in the client of NATS: their senders would wait for a hub that never had
// them.
func (c *core) unsubscribe(subs []*nats.Subscription) (wait func()) {
	var handled []chan struct{}
	for _, sub := range subs {
		done := make(chan struct{})
		sub.SetClosedHandler(func(string) { close(done) })
		if sub.Drain() == nil { // else the connection has ended, and with it the subscription
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
