package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// gateway is a connected gateway, with everything that ends with its connection.
type gateway struct {
	core  *core
	host  *Host // nil in a fleet
	names wire.Names
	id    string
	label string
	pid   int
	since time.Time
	life  context.Context //nolint:containedctx // ends with the connection
	end   context.CancelFunc

	settled chan struct{} // closed when it sends no more calls, because the hub ends
	settle  func()        // closes settled, once

	mu      sync.Mutex
	gone    bool
	offers  map[uint64]*offer
	calls   map[uint64]*servedCall
	answers map[uint64]*wire.Outgoing // answers that are sent in pieces, by request
	flow    wire.Flow                 // bounds arguments in pieces
	heard   time.Time                 // in a fleet: when its last message arrived
	known   sighting                  // last reading of its clock
}

func (c *core) newGateway(names wire.Names) *gateway {
	g := &gateway{
		core: c, names: names, id: names.Gateway(), since: time.Now(),
		offers: map[uint64]*offer{}, calls: map[uint64]*servedCall{}, answers: map[uint64]*wire.Outgoing{}, settled: make(chan struct{}),
	}
	g.settle = sync.OnceFunc(func() { close(g.settled) })
	g.life, g.end = context.WithCancel(c.closing)
	return g
}

// errGone is the cause for the end of the calls of a gateway that has ended.
var errGone = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the gateway that made the call has ended")}

// arrived adds a gateway. It returns false if the id is in use.
func (h *Host) arrived(me wire.ConnectRequest) bool {
	g := h.newGateway(wire.HostNames(me.ID))
	g.host, g.label, g.pid = h, me.Label, me.PID
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, taken := h.gateways[me.ID]; taken {
		return false
	}
	h.gateways[me.ID] = g
	h.changed()
	return true
}

// changed reports the number of gateways. It is called with mu held, so that the numbers
// are reported in order.
func (h *Host) changed() {
	if h.options.Changed != nil {
		h.options.Changed(len(h.gateways))
	}
}

// left removes a gateway, cancels its calls and ends its use of servers.
func (h *Host) left(id string) {
	h.mu.Lock()
	g := h.gateways[id]
	delete(h.gateways, id)
	h.changed()
	h.mu.Unlock()
	for _, o := range g.leave() {
		o.release(h.options.Idle)
	}
}

// leave cancels the calls of a gateway that has ended, and returns its offers.
func (g *gateway) leave() map[uint64]*offer {
	g.end()
	g.mu.Lock()
	g.gone = true
	offers, calls, answers := g.offers, g.calls, g.answers
	g.offers, g.calls, g.answers = nil, nil, nil
	g.mu.Unlock()
	for _, c := range calls {
		c.stop(errGone)
	}
	for _, a := range answers {
		a.Stop()
	}
	return offers
}

func (g *gateway) status() wire.Gateway {
	g.mu.Lock()
	defer g.mu.Unlock()
	status := wire.Gateway{ID: g.id, Label: g.label, PID: g.pid, Since: g.since, InFlight: len(g.calls), Servers: []string{}}
	for _, o := range g.offers {
		if s := o.server.Load(); s != nil {
			status.Servers = append(status.Servers, s.shown)
		}
	}
	return status
}

// requested handles a message of a gateway to the hub. It must not block.
func (h *Host) requested(m *nats.Msg) {
	g, number := h.from(m.Subject, m.Reply)
	if g == nil {
		return
	}
	switch verb := wire.Verb(m.Subject); verb {
	case wire.Offer:
		g.offered(number, m.Data)
	case wire.Release:
		g.release(number)
	case wire.Limit:
		g.setLimit(number, m.Data)
	case wire.Tools:
		go g.tools(number, m.Data)
	case wire.Restart:
		go g.restart(number, m.Data)
	case wire.Ping:
		g.ping(number, m.Data)
	case wire.Beat:
		_ = g.tellJSON(number, wire.Done, g.missing(m.Data)) // the gateway asks again
	case wire.Settled:
		g.settle()
	default:
		g.followed(verb, number, m)
	}
}

// from returns the gateway that has sent a request, and the number of the request. g is nil if the gateway has ended
// meanwhile, or the reply subject is not its own.
func (h *Host) from(subject, reply string) (g *gateway, number uint64) {
	if g = h.gateway(wire.Last(subject)); g == nil {
		return nil, 0
	}
	number, ok := g.names.ParseReply(reply)
	if !ok {
		return nil, 0
	}
	return g, number
}

// followed handles a message about a request that the hub has.
func (g *gateway) followed(verb string, number uint64, m *nats.Msg) {
	switch verb {
	case wire.Answer:
		g.answered(number, m.Data)
	case wire.Credit:
		g.room(number, m.Data)
	case wire.Drop:
		g.drop(number)
	case wire.Piece:
		g.piece(number, m.Data)
	case wire.Confirm:
		g.confirmed(number, m.Data)
	}
}

// tell sends an event of a request.
func (g *gateway) tell(number uint64, event string, payload []byte) error {
	return g.core.nc.Publish(g.names.Reply(number)+"."+event, payload)
}

func (g *gateway) tellJSON(number uint64, event string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return g.tell(number, event, text)
}

// answer sends the result of a request, in pieces if it is large. over is called when the
// result is not in use any more; it may be nil.
func (g *gateway) answer(number uint64, result []byte, err error, s *target, over func()) {
	if over == nil {
		over = func() {}
	}
	switch {
	case err != nil:
		_ = g.tell(number, wire.Failed, s.encode(err)) // the gateway sees the end of the connection
		over()
	case len(result) <= wire.PieceSize:
		_ = g.tell(number, wire.Done, result) // as above
		over()
	case len(result) > wire.MaxPayload:
		g.answer(number, nil, &toolscript.Error{Kind: toolscript.TooLarge, Err: errors.New("the answer is too large for the hub")}, s, over)
	default:
		g.answerLarge(number, result, s, over)
	}
}

// roomTime is how long a large answer is kept for a gateway that asks for none of it: the
// gateway may wait for memory, or its process is stopped.
const roomTime = 30 * time.Second

func (g *gateway) answerLarge(number uint64, result []byte, s *target, over func()) {
	size := len(result)
	out := wire.NewOutgoing(result, func(piece []byte) error {
		return g.core.pacer.Send(func() error { return g.tell(number, wire.Part, piece) })
	}, over)
	g.mu.Lock()
	gone := g.gone
	if !gone {
		g.answers[number] = out
	}
	g.mu.Unlock()
	if gone || g.tell(number, wire.Large, []byte(strconv.Itoa(size))) != nil {
		g.drop(number)
		out.Stop()
		return
	}
	out.Limit(roomTime, func() {
		g.drop(number)
		g.answer(number, nil, &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf(
			"the gateway had no memory for the answer of %d bytes within %s", size, roomTime)}, s, nil)
	})
}

// room continues a large answer.
func (g *gateway) room(number uint64, payload []byte) {
	n, err := strconv.Atoi(string(payload))
	g.mu.Lock()
	out := g.answers[number]
	g.mu.Unlock()
	if out == nil || err != nil {
		return
	}
	go func() { // writing may block
		if out.Room(n) {
			g.drop(number)
		}
	}()
}

// drop ends a large answer.
func (g *gateway) drop(number uint64) {
	g.mu.Lock()
	out := g.answers[number]
	delete(g.answers, number)
	g.mu.Unlock()
	if out != nil {
		out.Stop()
	}
}

// tools answers with the tools of a server.
func (g *gateway) tools(number uint64, payload []byte) {
	s, err := g.target(payload)
	if err != nil {
		g.answer(number, nil, err, s, nil)
		return
	}
	g.list(number, s)
}

// rereadTime bounds the wait for a new list of tools. A list that arrives later is announced.
const rereadTime = time.Second

// list answers with the tools of a server.
func (g *gateway) list(number uint64, s *target) {
	ctx, cancel := context.WithTimeout(g.core.closing, rereadTime)
	defer cancel()
	g.core.servers.Reread(ctx, s.name)
	view, _ := g.core.servers.ViewServer(s.name)
	if !view.Status.Serves() {
		g.answer(number, nil, connectError(view.Status), s, nil)
		return
	}
	text, err := wire.EncodeTools(view.Tools)
	g.answer(number, text, err, s, nil)
}

// restart ends a server and starts it again. Calls of all gateways in flight fail, and the
// other gateways learn by wire.Lost that they have to connect again.
func (g *gateway) restart(number uint64, payload []byte) {
	s, err := g.target(payload)
	if err == nil {
		ctx, cancel := context.WithTimeout(g.core.closing, offerTime)
		defer cancel()
		_, err = g.core.servers.RestartServer(ctx, s.name)
	}
	g.answer(number, nil, err, s, nil)
}

// ping answers whether the hub is connected to a server.
func (g *gateway) ping(number uint64, payload []byte) {
	s, err := g.target(payload)
	if err == nil {
		if view, _ := g.core.servers.ViewServer(s.name); !view.Status.Serves() {
			err = connectError(view.Status)
		}
	}
	g.answer(number, nil, err, s, nil)
}

// target returns the server that a request names, if the gateway uses it.
func (g *gateway) target(payload []byte) (*target, error) {
	if s := g.uses(string(payload)); s != nil {
		return &s.target, nil
	}
	return nil, errNotOffered
}

// errNotOffered is the error of a request for a server that the gateway does not use.
var errNotOffered = &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("the gateway has not offered this server to the hub")}

// uses returns the server with a key if the gateway uses it.
func (g *gateway) uses(key string) *shared {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, o := range g.offers {
		if s := o.server.Load(); s != nil && s.key == key {
			return s
		}
	}
	return nil
}
