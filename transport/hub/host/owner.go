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
	"github.com/toolscript/toolscript/transport/hub/lease"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// leaseTime bounds the search for the bucket of leases.
const leaseTime = 10 * time.Second

// holdPause is the time until a hub wants the lease again of a server that did not start.
const holdPause = time.Second

var (
	errNotOwner = &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: time.Second, Err: fmt.Errorf(
		"%w: the hub has lost the lease of the server; the call was not carried out", mcpclient.ErrUnreachable)}
	errLeaseLost = &toolscript.Error{Kind: toolscript.Unavailable, RetryAfter: time.Second, Err: errors.New(
		"the hub lost the lease of the server during the call; whether the call was carried out is not known")}
)

// leases opens the leases of the fleet if a server needs one.
func (f *Fleet) leases(ctx context.Context) (*lease.Leases, error) {
	name := ""
	for _, offer := range f.options.Offers {
		if !offer.Stateless {
			name = offer.Name
		}
	}
	if name == "" {
		return nil, nil
	}
	js, err := jetstream.New(f.nc)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	leases, err := lease.Open(ctx, js, lease.Options{Logger: f.log})
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return nil, &toolscript.Error{Kind: toolscript.Unsupported, Server: name, Err: fmt.Errorf(
			`the server %s is not stateless, so it needs a lease, and the NATS cluster has no JetStream: %w; enable "jetstream" in the configuration of the NATS servers `+
				`and for the account, or set "stateless": true if several hubs may run the server`, name, err)}
	case err != nil:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, RetryAfter: time.Second, Err: err}
	}
	return leases, nil
}

// hold runs the server whenever the hub has its lease, until the hub ends.
func (s *offered) hold(leases *lease.Leases) {
	ctx := s.fleet.closing
	for s.life.Err() == nil {
		err := leases.Hold(ctx, s.name, s.fleet.options.Host, s.own)
		if s.life.Err() != nil {
			return
		}
		if err != nil && !errors.Is(err, lease.ErrLost) {
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
	if err := s.fleet.servers.OfferServer(ctx, s.name, s.offer.Config); err != nil {
		return err
	}
	s.mu.Lock()
	s.token, s.term, s.seen = strconv.FormatUint(token, 10), ctx, wire.ServerView{}
	state, err := s.fleet.nc.Subscribe(wire.FleetServer(s.name, wire.State, wire.Anyone), func(m *nats.Msg) { s.reason(m.Subject, m.Reply) })
	s.mu.Unlock()
	if err == nil {
		s.watch(ctx)
		_ = state.Unsubscribe() // the connection may have ended
	}
	if s.life.Err() != nil {
		<-ctx.Done() // calls in flight go on until the hub has ended
	}
	s.mu.Lock()
	s.shut()
	s.token, s.term = "", nil
	s.mu.Unlock()
	for _, g := range s.fleet.all() {
		g.interrupt(&s.target, errLeaseLost)
	}
	stop, cancel := context.WithTimeout(context.Background(), changeTime)
	defer cancel()
	return errors.Join(err, s.fleet.servers.WithdrawServer(stop, s.name))
}
