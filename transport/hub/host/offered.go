package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// hubs is the queue group of the hubs that offer a server: one of them gets each request.
const hubs = "hubs"

// offered is a server that this hub offers to the fleet. A server that is not stateless runs
// only while the hub has its lease, see owner.go.
type offered struct {
	target
	fleet   *Fleet
	service micro.Service
	taker   []byte          // the payload of wire.Taken
	life    context.Context //nolint:containedctx // ends with the offer
	end     context.CancelFunc
	closing context.Context //nolint:containedctx // ends after life, when the calls in flight have ended
	close   context.CancelFunc
	ended   chan struct{} // closed when watch or hold has returned, or was not called

	mu    sync.Mutex
	offer Offer                // Stateless does not change
	token string               // token in the subjects of calls; empty while another hub may have the lease
	term  context.Context      //nolint:containedctx // the term of the lease; nil for a stateless server
	subs  []*nats.Subscription // subscriptions to requests, while the server is ready
	waits error                // why the hub does not get the lease
	says  *nats.Subscription   // answers requests for the state, while waits is set
	seen  wire.ServerView
}

// offer starts a server and its micro service.
func (f *Fleet) offer(ctx context.Context, o Offer) (*offered, error) {
	if !wire.ValidName(o.Name) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: o.Name, Err: errors.New(
			"the name of a server in a fleet has at most 64 letters of ASCII, digits, hyphens and underscores")}
	}
	s := &offered{target: target{name: o.Name, title: o.Name}, fleet: f, offer: o, ended: make(chan struct{})}
	state := f.id // a server that is not stateless has another state in each hub
	if o.Stateless {
		s.token, state = wire.Anyone, wire.Anyone
	}
	s.taker, _ = json.Marshal(wire.Taker{Hub: f.id, Host: f.options.Host}) // such a struct always has a JSON form
	s.closing, s.close = context.WithCancel(f.closing)
	s.life, s.end = context.WithCancel(s.closing)
	var err error
	s.service, err = micro.AddService(f.nc, micro.Config{
		Name: cluster.Service(o.Name), Version: strconv.Itoa(wire.Protocol) + ".0.0", Description: "an MCP server that a toolscript hub offers",
		Metadata: cluster.Entry{
			Server: o.Name, Type: o.Config.Type, Host: f.options.Host, Hub: f.id, Version: f.options.Version, Protocol: wire.Protocol, Stateless: o.Stateless,
		}.Metadata(),
		StatsHandler: func(*micro.Endpoint) any { return s.stats() },
	})
	if err == nil {
		err = s.service.AddEndpoint("state", micro.HandlerFunc(s.asked), micro.WithEndpointSubject(wire.FleetServer(o.Name, wire.State, state)),
			micro.WithEndpointQueueGroup(hubs))
	}
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Internal, Server: o.Name, Err: fmt.Errorf("offer the micro service: %w", err)}
	}
	if !o.Stateless {
		return s, nil
	}
	return s, f.servers.OfferServer(ctx, o.Name, o.Config)
}

// asked answers a request with the reason why the server takes no calls.
func (s *offered) asked(r micro.Request) { s.reason(r.Subject(), r.Reply()) }

func (s *offered) reason(subject, reply string) {
	g, number, ok := s.fleet.from(subject, reply)
	if !ok {
		return
	}
	view, _ := s.fleet.servers.ViewServer(s.name)
	s.mu.Lock()
	err := s.waits
	s.mu.Unlock()
	if err == nil && !view.Status.Serves() {
		err = s.explain(view.Status)
	}
	g.answer(number, nil, err, &s.target, nil)
}

// explain returns the error of a server that is not connected to its hub.
func (s *offered) explain(status toolscript.ServerStatus) error {
	err := connectError(status)
	var dial *mcpclient.DialError
	where := "on the hub " + s.fleet.options.Host + ": "
	if errors.As(err, &dial) {
		return &toolscript.Error{Kind: toolscript.KindOf(err), Err: &mcpclient.DialError{Err: fmt.Errorf("%s%w", where, dial.Err), Stderr: dial.Stderr}}
	}
	var known *toolscript.Error
	if errors.As(err, &known) {
		return &toolscript.Error{Kind: known.Kind, Permanent: known.Permanent, Err: fmt.Errorf("%s%w", where, known.Err), Next: known.Next}
	}
	return err
}

// watch takes requests while the server is ready, until the offer or ctx ends.
func (s *offered) watch(ctx context.Context) {
	for {
		select {
		case <-s.look():
		case <-ctx.Done():
			return
		case <-s.life.Done():
			return
		}
	}
}

// look reports changes of the server to the fleet, and returns a channel that is closed at
// the next change.
func (s *offered) look() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	view, _ := s.fleet.servers.ViewServer(s.name)
	if s.life.Err() != nil {
		return view.Changed
	}
	ready := view.Status.Serves()
	other := !view.Status.Since.Equal(s.seen.Status.Since) || !reflect.DeepEqual(view.Tools, s.seen.Tools)
	changed := view.Status.State != s.seen.Status.State || ready && other
	s.seen = view
	switch {
	case ready && s.subs == nil:
		if err := s.open(); err != nil {
			s.fleet.log.Error("server not offered", slog.String("server", s.name), slog.String("error", err.Error()))
			s.shut()
			return view.Changed
		}
	case !ready:
		s.shut()
	}
	if changed {
		s.announce(view)
	}
	return view.Changed
}

// announce reports a change to the gateways. It is called with mu held.
func (s *offered) announce(view wire.ServerView) {
	text, err := json.Marshal(wire.Catalog{State: stateFor(view.Status), Tools: view.Status.Tools, Hub: s.fleet.id, Token: s.token})
	if err == nil {
		_ = s.fleet.nc.Publish(wire.FleetCatalog(s.name), text) // gateways see the end of the connection
	}
}

// open begins to take requests for the server. It is called with mu held.
func (s *offered) open() error {
	term := s.term
	type request struct {
		verb, token string
		handle      nats.MsgHandler
	}
	call := func(m *nats.Msg) { s.called(term, m) }
	all := []request{
		{wire.Invoke, s.token, call},
		{wire.Tools, s.token, s.listed},
		{wire.Ping, s.token, s.greeted},
		{wire.Open, wire.Anyone, s.greeted},
	}
	if s.offer.Stateless {
		all = append(all, request{wire.Invoke, s.fleet.id, call}) // from gateways that have found a hub that does not answer
	}
	for _, one := range all {
		sub, err := s.fleet.nc.QueueSubscribe(wire.FleetServer(s.name, one.verb, one.token), hubs, one.handle)
		if err == nil {
			s.subs = append(s.subs, sub)
			err = sub.SetPendingLimits(-1, -1) // the queue of the server is bounded
		}
		if err != nil {
			return err
		}
	}
	return s.fleet.nc.Flush() // before the server is announced
}

// shut stops taking requests. It is called with mu held. wait returns when the requests that
// have arrived were handled; it must be called without mu.
func (s *offered) shut() (wait func()) {
	wait = s.fleet.unsubscribe(s.subs)
	s.subs = nil
	return wait
}

// withdraw ends the offer, and returns when all calls that were sent to this hub have begun.
// These calls go on.
func (s *offered) withdraw() {
	s.mu.Lock()
	s.end()
	if s.says != nil {
		_ = s.says.Unsubscribe() // the connection may have ended
		s.says = nil
	}
	wait := s.shut()
	if s.token != "" {
		s.announce(wire.ServerView{Status: toolscript.ServerStatus{State: toolscript.Stopped}})
	}
	s.mu.Unlock()
	wait()
	_ = s.service.Stop() // the connection may have ended. Without mu: it waits for stats
}

// called handles a tool call or a fetch. It must not block.
func (s *offered) called(term context.Context, m *nats.Msg) {
	g, number, ok := s.fleet.from(m.Subject, m.Reply)
	if !ok {
		return
	}
	_ = g.tell(number, wire.Taken, s.taker) // the gateway sees the silence
	head, err := wire.DecodeCall(m.Header.Get(wire.CallHeader))
	if err != nil {
		err = &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	} else if head.Fetch == nil && !s.selects(head.Tool) {
		err = &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the hub does not offer the tool %.100q", head.Tool)}
	}
	if err != nil {
		g.answer(number, nil, err, &s.target, nil)
		return
	}
	g.called(&servedCall{server: &s.target, number: number, head: head, term: term, hub: s.fleet.id}, m.Data)
}

func (s *offered) selects(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offer.Config.Selects(tool)
}

// listed answers a request for the tools of the server.
func (s *offered) listed(m *nats.Msg) {
	if g, number, ok := s.fleet.from(m.Subject, m.Reply); ok {
		_ = g.tell(number, wire.Taken, s.taker) // the gateway sees the silence
		go g.list(number, &s.target)
	}
}

// greeted answers the request Open of a gateway: with an Offered, or with errNotOwner if another hub may own the
// server.
func (s *offered) greeted(m *nats.Msg) {
	g, number, ok := s.fleet.from(m.Subject, m.Reply)
	if !ok {
		return
	}
	view, _ := s.fleet.servers.ViewServer(s.name)
	s.mu.Lock()
	token, term := s.token, s.term
	s.mu.Unlock()
	if token == "" || term != nil && cluster.CheckLeases(term) != nil {
		g.answer(number, nil, errNotOwner, &s.target, nil)
		return
	}
	text, err := json.Marshal(wire.Offered{Server: s.name, Token: token, Info: upstream.Info{
		Title: view.Status.Title, Instructions: view.Status.Instructions, Protocol: view.Status.Protocol,
	}})
	g.answer(number, text, err, &s.target, nil)
}

func (s *offered) stats() cluster.State {
	view, _ := s.fleet.servers.ViewServer(s.name)
	s.mu.Lock()
	token, waits := s.token, s.waits
	s.mu.Unlock()
	if !s.offer.Stateless && token == "" {
		state := cluster.State{State: toolscript.Stopped, Standby: true, Gateways: s.fleet.present(), Calls: s.calls.Load(), Errors: s.failures.Load()}
		if waits != nil {
			state.Error = waits.Error()
		}
		return state
	}
	lease, _ := strconv.ParseUint(token, 10, 64) // 0 for a stateless server
	return cluster.State{
		Lease: lease, State: view.Status.State, Error: view.Status.Error, Tools: view.Status.Tools, Gateways: s.fleet.present(), InFlight: view.Status.InFlight,
		Queued: view.Status.Queued, Calls: s.calls.Load(), Errors: s.failures.Load(),
	}
}
