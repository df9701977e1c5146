package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// offerTime bounds an offer of a gateway without a deadline.
const offerTime = time.Minute

// loginPause is longer than the time between two checks of the hub for a new login.
const loginPause = 3 * time.Second

// offer is the use of a server by a gateway.
type offer struct {
	gateway *gateway
	number  uint64
	ctx     context.Context //nolint:containedctx // ends with the offer
	cancel  context.CancelFunc
	server  atomic.Pointer[shared] // nil before it is known

	// Guarded by shared.mu.
	limit     int           // concurrency that the gateway has configured
	rest      time.Duration // idle time that the gateway has configured
	connected bool          // the gateway was told that the server is connected
}

// offered begins to use a server.
func (g *gateway) offered(number uint64, payload []byte) {
	o := &offer{gateway: g, number: number}
	o.ctx, o.cancel = context.WithCancel(g.life)
	g.mu.Lock()
	_, taken := g.offers[number]
	refused := g.gone || taken
	if !refused {
		g.offers[number] = o
	}
	g.mu.Unlock()
	if refused {
		o.cancel()
		return
	}
	go func() {
		s, err := o.accept(payload)
		if err == nil {
			err = s.answerOffer(o)
		}
		if err != nil {
			var about *target
			if s != nil {
				about = &s.target
			}
			g.answer(number, nil, err, about, nil)
		}
	}()
}

// release ends the use of a server.
func (g *gateway) release(number uint64) {
	g.mu.Lock()
	o := g.offers[number]
	delete(g.offers, number)
	g.mu.Unlock()
	if o != nil {
		go o.release(o.idleTime()) // it may wait for the start of a server
	}
}

// unusedTime is how long a server stays after a running gateway has given it up, such as
// after a change of its configuration or the loss of its trust. A gateway that only
// connects again finds the server within this time.
const unusedTime = 5 * time.Second

// idleTime returns how long the server stays after the end of the offer.
func (o *offer) idleTime() time.Duration {
	idle := o.gateway.host.options.Idle
	if o.gateway.life.Err() != nil {
		return idle // the gateway has ended
	}
	return min(idle, unusedTime)
}

// setLimit changes the concurrency that the gateway has configured.
func (g *gateway) setLimit(number uint64, payload []byte) {
	limit, err := strconv.Atoi(string(payload))
	g.mu.Lock()
	o := g.offers[number]
	g.mu.Unlock()
	if err != nil || limit < 0 || o == nil {
		return
	}
	s := o.server.Load()
	if s == nil {
		return // the gateway sends no limit before the answer to its offer
	}
	s.mu.Lock()
	o.limit = limit
	s.mu.Unlock()
	go s.changeLimit() // it may wait for the start of a server
}

// release ends the use of the server, which stays for a time if it has no other gateway.
func (o *offer) release(idleTime time.Duration) {
	o.cancel()
	if s := o.server.Load(); s != nil {
		s.leave(o, idleTime)
	}
}

// accept finds or starts the server of a definition, and waits until it has tried to
// connect.
func (o *offer) accept(payload []byte) (*shared, error) {
	h := o.gateway.host
	d, left, err := wire.DecodeDefinition(payload)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("the definition cannot be read")}
	}
	if err := check(d); err != nil {
		return nil, err
	}
	if h.draining.Load() {
		return nil, errDraining
	}
	if left == 0 {
		left = offerTime
	}
	ctx, cancel := context.WithTimeout(o.ctx, left)
	defer cancel()
	s, err := h.join(ctx, d, o)
	if s != nil && o.ctx.Err() != nil { // released meanwhile
		s.leave(o, o.idleTime())
		err = toolscript.ContextError(o.ctx)
	}
	if err != nil {
		return s, err
	}
	status, err := h.options.Servers.AwaitServer(ctx, s.name)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("the server is still connecting in the hub")}
	}
	if status.State == toolscript.NeedsAuth {
		h.awaitLogin(ctx, s.name)
	}
	return s, err
}

// awaitLogin waits a moment for a server that needs a login. After a login, gateways
// dial at the same time as the hub; and while the server refuses the token that is
// stored, they dial again and again.
func (h *Host) awaitLogin(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, loginPause)
	defer cancel()
	for {
		view, _ := h.options.Servers.ViewServer(name)
		if state := view.Status.State; state != toolscript.NeedsAuth && !state.Connects() {
			return
		}
		select {
		case <-view.Changed:
		case <-ctx.Done():
			return
		}
	}
}

// check refuses definitions that a hub does not run.
func check(d wire.Definition) error {
	refuse := func(why string) error {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(why)}
	}
	switch c := d.Config; {
	case d.Name == "":
		return refuse("the server has no name")
	case !c.Kind().MCP:
		return refuse(fmt.Sprintf("a server of type %q cannot be shared", c.Type))
	case c.Shared != upstream.SharedHost && c.Shared != upstream.SharedProject:
		return refuse("the server is not shared")
	case c.Disabled:
		return refuse("the server is disabled")
	}
	return nil
}

// connectError returns the error of a gateway's attempt to connect to a server that is not
// connected.
func connectError(status toolscript.ServerStatus) error {
	e := &toolscript.Error{Kind: toolscript.Unavailable, Permanent: status.Permanent}
	text := status.Error
	switch status.State {
	case toolscript.NeedsAuth:
		e.Kind = toolscript.Unauthorized
	case toolscript.Failed:
		e.Kind = toolscript.Invalid
	case toolscript.Connecting, toolscript.Installing, toolscript.Ready, toolscript.Resting, toolscript.Starting:
		if text == "" {
			text = cmp.Or(status.Start(time.Now()), "the server is connecting")
		}
	case toolscript.Backoff, toolscript.Stopped:
	}
	if text == "" {
		text = "the server is not connected"
	}
	e.Err = mcpclient.ParseDialError(text, status.Stderr)
	return e
}
