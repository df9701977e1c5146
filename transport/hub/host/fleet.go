package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/inflight"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

const (
	// A connection that does not answer for hubPings * hubPing counts as lost.
	hubPing  = 5 * time.Second
	hubPings = 2

	quiet      = 15 * time.Second // without a message: a gateway with calls in flight has ended
	forgotten  = 5 * time.Minute  // without a message: a gateway does not count any more
	sweepEvery = 5 * time.Second
	drainTime  = 3 * time.Second // for calls in flight when the hub ends
)

// Offer is a server that a hub offers to a fleet.
type Offer struct {
	Name      string
	Config    mcpclient.Config
	Stateless bool // several hubs may run it at the same time; else the one with the lease does
}

// FleetOptions configure a Fleet. Address, Host, Servers and Offers are required.
type FleetOptions struct {
	Address cluster.Address
	Host    string // the name of this host
	Version string // of the program
	Servers Servers
	Offers  []Offer
	Answers *inflight.Budget // limits the memory for arguments and answers; nil: unlimited
	Logger  *slog.Logger     // nil: no log
}

// Fleet is a hub of a fleet while it is connected to the cluster. After a lost connection
// there is another one with another id: gateways must not wait for answers that are lost.
// It is safe for concurrent use.
type Fleet struct {
	core
	options FleetOptions
	id      string
	offered []*offered
	work    sync.WaitGroup
}

// Join connects to the cluster of a fleet and offers the servers. One that is not stateless
// starts when the hub gets its lease. The error has the kind Conflict if another hub offers
// one of them with another value of Stateless, and Unsupported if the cluster has no
// JetStream, which leases need.
func Join(ctx context.Context, o FleetOptions) (*Fleet, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Fleet{options: o, id: newHubID()}
	f.init(o.Servers, o.Answers, o.Logger)
	var err error
	lost := sync.OnceFunc(func() { close(f.lost) })
	f.nc, err = cluster.Connect(ctx, o.Address, nats.Name("toolscript hub "+o.Host), nats.NoReconnect(),
		nats.PingInterval(hubPing), nats.MaxPingsOutstanding(hubPings), nats.ClosedHandler(func(*nats.Conn) { lost() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Logger.Error("error of the connection to the fleet", slog.String("error", err.Error()))
		}))
	if err != nil {
		f.shut()
		return nil, err
	}
	if err := f.start(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func newHubID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

func (f *Fleet) start(ctx context.Context) error {
	if err := f.agree(ctx); err != nil {
		return err
	}
	leases, err := f.leases(ctx)
	if err != nil {
		return err
	}
	requests, err := f.nc.Subscribe(wire.FleetHub(f.id), f.requested)
	if err == nil {
		err = requests.SetPendingLimits(-1, -1) // gateways send what the hub has room for
	}
	if err != nil {
		return fmt.Errorf("join the fleet: %w", err)
	}
	for _, offer := range f.options.Offers {
		s, err := f.offer(ctx, offer)
		if err != nil {
			return err
		}
		f.offered = append(f.offered, s)
		if offer.Stateless {
			f.work.Go(func() { s.watch(s.life) })
		} else {
			f.work.Go(func() { s.hold(leases) })
		}
	}
	f.work.Go(f.sweep)
	if err := f.nc.Flush(); err != nil {
		return fmt.Errorf("join the fleet: %w", err)
	}
	if err := f.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"the credentials do not allow this hub to offer its servers: %w; see: toolscript fleet permissions --role hub", err)}
	}
	return nil
}

// agree refuses servers that other hubs offer with another value of Stateless.
func (f *Fleet) agree(ctx context.Context) error {
	known, err := cluster.List(ctx, f.nc)
	if err != nil {
		return fmt.Errorf("look for other hubs: %w", err)
	}
	for _, offer := range f.options.Offers {
		for _, other := range known {
			if other.Server == offer.Name && offer.Stateless != other.Stateless {
				return &toolscript.Error{Kind: toolscript.Conflict, Server: offer.Name, Err: fmt.Errorf(
					`the hub on %s offers the server %s with "stateless": %t, and this one with %t; all hubs need the same value`,
					other.Host, offer.Name, other.Stateless, offer.Stateless)}
			}
		}
	}
	return nil
}

// ID returns the id of the hub in the fleet.
func (f *Fleet) ID() string { return f.id }

// Close withdraws the servers, lets the calls in flight go on for a moment, and ends the
// connection. It ends servers that are not stateless, and gives their leases to other hubs;
// it does not end the others.
func (f *Fleet) Close() error {
	for _, s := range f.offered {
		s.withdraw()
	}
	_ = f.nc.Flush() // the connection may be lost already
	f.drain()
	f.shut()
	f.work.Wait()
	_ = f.nc.Flush() // as above
	f.nc.Close()
	return nil
}

// drain waits until no call is in flight, and fails those that take too long.
func (f *Fleet) drain() {
	until := time.After(drainTime)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for f.busy() && !f.nc.IsClosed() {
		select {
		case <-tick.C:
			continue
		case <-until:
		}
		break
	}
	for _, g := range f.all() {
		g.interrupt(nil, &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: time.Second, Err: fmt.Errorf(
			"the hub on %s ended during the call; whether the call was carried out is not known", f.options.Host)})
		g.leave()
	}
}

// interrupt answers the calls of a server in flight with an error; nil: of all servers.
func (g *gateway) interrupt(server *target, why error) {
	g.mu.Lock()
	calls := slices.Collect(maps.Values(g.calls))
	g.mu.Unlock()
	for _, c := range calls {
		if server != nil && c.server != server {
			continue
		}
		if _, ours := g.take(c.number); ours {
			g.answer(c.number, nil, why, c.server, nil)
			c.stop(why)
		}
	}
}

func (f *Fleet) all() []*gateway {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.gateways))
}

func (f *Fleet) busy() bool {
	return slices.ContainsFunc(f.all(), func(g *gateway) bool { return g.inFlight() > 0 })
}

// inFlight is the number of requests that the hub has of the gateway.
func (g *gateway) inFlight() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.calls) + len(g.answers)
}

// from returns the gateway that has sent a request, and the number of the request. ok is
// false if its subjects are not those of one gateway.
func (f *Fleet) from(subject, reply string) (g *gateway, number uint64, ok bool) {
	names, ok := wire.FleetGateway(subject)
	if !ok {
		return nil, 0, false
	}
	if number, ok = names.ParseReply(reply); !ok {
		return nil, 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing.Err() != nil {
		return nil, 0, false
	}
	g = f.gateways[names.Gateway()]
	if g == nil {
		g = f.newGateway(names)
		f.gateways[g.id] = g
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heard = time.Now()
	return g, number, true
}

// requested handles a message of a gateway to this hub. It must not block.
func (f *Fleet) requested(m *nats.Msg) {
	g, number, ok := f.from(m.Subject, m.Reply)
	if !ok {
		return
	}
	switch verb := wire.FleetVerb(m.Subject); verb {
	case wire.Beat:
		g.beat(number, m.Data)
	case wire.Cancel:
		g.cancel(number, cmp.Or(string(m.Data), "cancelled"))
	default:
		g.followed(verb, number, m)
	}
}

// beat answers which of the requests of the gateway the hub does not have.
func (g *gateway) beat(number uint64, payload []byte) {
	var asked []uint64
	if json.Unmarshal(payload, &asked) != nil {
		return
	}
	missing := []uint64{}
	g.mu.Lock()
	for _, n := range asked {
		if g.calls[n] == nil && g.answers[n] == nil {
			missing = append(missing, n)
		}
	}
	g.mu.Unlock()
	_ = g.tellJSON(number, wire.Done, missing) // the gateway asks again
}

// sweep cancels the calls of gateways that say nothing any more, until the hub ends.
func (f *Fleet) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			for _, g := range f.all() {
				if g.gonePast(now) {
					f.drop(g)
				}
			}
		case <-f.closing.Done():
			return
		}
	}
}

// gonePast reports whether a gateway counts as ended.
func (g *gateway) gonePast(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	silent := now.Sub(g.heard)
	return silent > forgotten || silent > quiet && len(g.calls)+len(g.answers) > 0
}

func (f *Fleet) drop(g *gateway) {
	f.mu.Lock()
	if f.gateways[g.id] == g {
		delete(f.gateways, g.id)
	}
	f.mu.Unlock()
	g.leave()
}
