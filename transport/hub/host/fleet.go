package host

import (
	"cmp"
	"context"
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
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	quiet      = 15 * time.Second // time without a message after which a gateway with calls in flight counts as ended
	forgotten  = 5 * time.Minute  // time without a message after which any gateway counts as ended
	sweepEvery = 5 * time.Second
)

// Offer is a server that a hub offers to a fleet.
type Offer struct {
	Name      string
	Config    upstream.Config
	Stateless bool // several hubs may run it at the same time; otherwise only the hub with the lease
}

// FleetOptions configure a Fleet. Address, Host, Servers and Offers are required.
type FleetOptions struct {
	Address cluster.Address
	Host    string // the name of this host
	Version string // version of the program
	Servers Servers
	Offers  []Offer
	Answers *budget.Budget // limits the memory for arguments and answers; nil: unlimited
	Logger  *slog.Logger   // nil: no log
}

// Fleet is a hub of a fleet, for the time of one connection to the cluster, which may have short
// breaks. After a lost connection, Join another Fleet. It has another id, so that gateways do not
// wait for lost answers. A Fleet is safe for concurrent use.
type Fleet struct {
	core
	options FleetOptions
	id      string
	control *nats.Conn // for leases and beats; core.nc is for the rest
	work    sync.WaitGroup

	changing sync.Mutex // held while servers are added or retired
	offered  []*offered

	looking sync.Mutex
	looked  time.Time // last call of dropEnded; guarded by looking

	drained   chan struct{} // closed by drainOnce
	drainOnce func()

	// Guarded by mu.
	owned map[string]func() // ends the term of a server that this hub owns
}

// Join connects to the cluster of a fleet and offers the servers. A server that is not stateless
// starts when the hub gets its lease; the others do not wait for the store of leases. The error
// has the kind Conflict if another hub offers one of the servers with another value of Stateless,
// and Unsupported if all of them need a lease and the cluster has no JetStream.
func Join(ctx context.Context, o FleetOptions) (*Fleet, error) {
	f := &Fleet{options: o, id: wire.NewID(), drained: make(chan struct{}), owned: map[string]func(){}}
	f.drainOnce = sync.OnceFunc(func() { close(f.drained) })
	f.resumed = f.announceAll
	f.keys = &keys{control: func() *nats.Conn { return f.control }}
	f.init(o.Servers, o.Answers, o.Logger)
	if err := f.connect(ctx); err != nil {
		f.shut()
		return nil, err
	}
	if err := f.start(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Fleet) start(ctx context.Context) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	if err := f.prepare(ctx, f.options.Offers, f.options.Offers); err != nil {
		return err
	}
	requests, err := f.nc.Subscribe(wire.FleetHub(f.id), f.requested)
	if err == nil {
		err = requests.SetPendingLimits(-1, -1) // gateways send what the hub has room for
	}
	if err == nil {
		_, err = f.nc.Subscribe(wire.FleetControl("*"), f.controlled)
	}
	if err = errors.Join(err, f.beats()); err != nil {
		return fmt.Errorf("join the fleet: %w", err)
	}
	f.work.Go(f.sweep)
	return f.add(ctx, f.options.Offers)
}

// agree refuses servers that other hubs offer with another value of Stateless.
func (f *Fleet) agree(ctx context.Context, offers []Offer) error {
	known, err := cluster.List(ctx, f.nc)
	if err != nil {
		return fmt.Errorf("look for other hubs: %w", err)
	}
	for _, offer := range offers {
		for _, other := range known {
			if other.Hub != f.id && other.Server == offer.Name && offer.Stateless != other.Stateless {
				return &toolscript.Error{Kind: toolscript.Conflict, Server: offer.Name, Err: fmt.Errorf(
					`the hub on %s offers the server %s with "stateless": %t, and this one with %t; all hubs need the same value`,
					other.Host, offer.Name, other.Stateless, offer.Stateless)}
			}
		}
	}
	return nil
}

// Close withdraws the servers, waits for the calls in flight for at most DrainTime, and ends the
// connection. It ends servers that are not stateless, and gives their leases to other hubs;
// it does not end the others.
func (f *Fleet) Close() {
	f.changing.Lock()
	defer f.changing.Unlock()
	var all sync.WaitGroup
	for _, s := range f.offered {
		all.Go(s.withdraw)
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), DrainTime)
	defer cancel()
	f.drain(ctx, nil)
	for _, g := range f.all() {
		g.interrupt(nil, f.ended())
		g.leave()
	}
	f.shut()
	f.work.Wait()
	_ = f.nc.Flush() // the last answers; the connection may have ended
	f.nc.Close()
	f.control.Close()
}

// ended returns the error of calls that are still in flight when the hub ends.
func (f *Fleet) ended() error {
	return &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, RetryAfter: time.Second, Err: fmt.Errorf(
		"the hub on %s ended during the call; %s", f.options.Host, toolscript.UnknownOutcome)}
}

// interrupt answers the calls of a server in flight with an error. If server is nil, it answers all calls.
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

// from returns the gateway that has sent a request, and the number of the request. ok is
// false if the two subjects do not belong to the same gateway.
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
	case wire.Beat: // see beats
	case wire.Cancel:
		g.cancel(number, cmp.Or(string(m.Data), "cancelled"))
	default:
		g.followed(verb, number, m)
	}
}

// missing lists the requests of the gateway that the hub does not have.
func (g *gateway) missing(payload []byte) []uint64 {
	var asked []uint64
	_ = json.Unmarshal(payload, &asked) // on an error, nothing is missing
	missing := []uint64{}
	var held []*servedCall
	g.mu.Lock()
	for _, n := range asked {
		switch c := g.calls[n]; {
		case c != nil:
			held = append(held, c)
		case g.answers[n] == nil:
			missing = append(missing, n)
		}
	}
	g.mu.Unlock()
	for _, c := range held {
		c.confirmAgain()
	}
	return missing
}

// sweep drops the gateways that have become silent, until the hub ends.
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
