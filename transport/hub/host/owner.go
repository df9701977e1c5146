package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	leaseTime = 10 * time.Second // bounds the opening of the bucket of leases
	storeTime = 2 * time.Second  // how long the start of a hub waits for the bucket; also the time between two attempts
)

// holdPause is the time after which a hub tries again to get the lease of a server that did not start.
const holdPause = time.Second

var (
	errNotOwner = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentNo, RetryAfter: time.Second, Err: fmt.Errorf(
		"%w: the hub has lost the lease of the server; the call was not carried out", upstream.ErrUnreachable)}
	errLeaseLost = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, RetryAfter: time.Second, Err: errors.New(
		"the hub lost the lease of the server during the call; " + toolscript.UnknownOutcome)}
)

// awaitLeases opens the leases of the fleet for a server that is not stateless. While that
// fails, it reports the trouble. It returns nil if the offer has ended.
func (s *offered) awaitLeases() *cluster.Leases {
	for {
		leases, err := s.fleet.leases(s.life, s.name, func(_ string, err error) { s.trouble(err) })
		s.trouble(err)
		if err == nil {
			return leases
		}
		select {
		case <-time.After(storeTime):
		case <-s.life.Done():
			return nil
		}
	}
}

func (f *Fleet) leases(ctx context.Context, name string, trouble func(string, error)) (*cluster.Leases, error) {
	js, err := jetstream.New(f.control)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	leases, err := cluster.OpenLeases(ctx, js, cluster.LeaseOptions{Logger: f.log, Trouble: trouble})
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Server: name, Err: fmt.Errorf(
			`the server %s is not stateless, so it needs a lease, and the NATS cluster has no JetStream: %w; enable "jetstream" in the configuration of the NATS servers `+
				`and for the account, or set "stateless": true if several hubs may run the server`, name, err)}
	case err != nil:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, RetryAfter: time.Second, Err: fmt.Errorf(
			"the NATS cluster does not answer for the leases of servers: %w; check that most of its servers with JetStream run", err)}
	}
	return leases, nil
}

// trouble records why the hub does not get the lease of the server, and reports it in the log,
// in the list of the fleet, and to gateways. A nil err means that there is no trouble.
func (s *offered) trouble(err error) {
	if errors.Is(err, cluster.ErrRecord) {
		err = &toolscript.Error{Kind: toolscript.Unavailable, Server: s.name, Err: fmt.Errorf(
			"the hub on %s does not start the server: %w", s.fleet.options.Host, err), Next: "if no hub runs the server, run: " + toolscript.Command("hub", "release", s.name)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	same := err == nil && s.waits == nil || err != nil && s.waits != nil && err.Error() == s.waits.Error()
	if same || s.life.Err() != nil {
		return
	}
	if s.waits = err; err == nil {
		s.fleet.log.Info("lease available again", slog.String("server", s.name))
		if s.says != nil {
			_ = s.says.Unsubscribe() // the connection may have ended
		}
		s.says = nil
		return
	}
	s.fleet.log.Error("server waits for its lease", slog.String("server", s.name), slog.String("error", err.Error()))
	if s.says == nil {
		s.says, _ = s.fleet.nc.QueueSubscribe(wire.FleetServer(s.name, wire.State, wire.Anyone), hubs, func(m *nats.Msg) { s.reason(m.Subject, m.Reply) }) // best effort: it is in the log
	}
}

// hold runs the server whenever the hub has its lease, until the offer ends.
func (s *offered) hold() {
	ctx, leases := s.closing, s.awaitLeases()
	for s.life.Err() == nil {
		err := leases.Hold(ctx, s.name, s.fleet.options.Host, s.own)
		if s.life.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, cluster.ErrLost) {
			s.fleet.log.Error("server not started", slog.String("server", s.name), slog.String("error", err.Error()))
		}
		select {
		case <-time.After(holdPause):
		case <-s.life.Done():
		}
	}
}

// own runs the server for one term of its lease.
func (s *offered) own(ctx context.Context, token uint64) error {
	if s.life.Err() != nil {
		return nil
	}
	if err := s.fleet.servers.OfferServer(ctx, s.name, s.current().Config); err != nil {
		return err
	}
	s.mu.Lock()
	s.token, s.term, s.seen = strconv.FormatUint(token, 10), ctx, wire.ServerView{}
	state, err := s.fleet.nc.Subscribe(wire.FleetServer(s.name, wire.State, wire.Anyone), func(m *nats.Msg) { s.reason(m.Subject, m.Reply) })
	s.mu.Unlock()
	if err == nil {
		s.serve(ctx)
		_ = state.Unsubscribe() // the connection may have ended
	}
	if s.life.Err() != nil {
		<-ctx.Done() // calls in flight go on until the hub has ended
	}
	s.mu.Lock()
	wait := s.shut()
	s.token, s.term = "", nil
	s.mu.Unlock()
	wait()
	for _, g := range s.fleet.all() {
		g.interrupt(&s.target, errLeaseLost)
	}
	stop, cancel := context.WithTimeout(context.Background(), changeTime)
	defer cancel()
	return errors.Join(err, s.fleet.servers.WithdrawServer(stop, s.name))
}

// serve takes calls until the term, the offer or the hub ends, or an operator hands the server
// over to another hub. In the last case, it also answers the calls in flight.
func (s *offered) serve(ctx context.Context) {
	turn, yield := context.WithCancel(ctx)
	defer yield()
	f := s.fleet
	f.mu.Lock()
	f.owned[s.name] = yield
	f.mu.Unlock()
	s.watch(turn)
	f.mu.Lock()
	delete(f.owned, s.name)
	f.mu.Unlock()
	if ctx.Err() != nil || s.life.Err() != nil {
		return
	}
	f.log.Info("server given to another hub", slog.String("server", s.name))
	s.mu.Lock()
	wait := s.shut()
	s.announce(wire.ServerView{Status: toolscript.ServerStatus{State: toolscript.Stopped}})
	s.mu.Unlock()
	wait()
	bounded, cancel := context.WithTimeout(ctx, DrainTime)
	defer cancel()
	f.drain(bounded, &s.target)
}
