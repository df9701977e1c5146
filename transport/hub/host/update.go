package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
)

// Update replaces the offered servers. A server that is no longer offered, or whose connection
// differs, answers its calls in flight and ends. A server of which only the limits or the
// selection of tools differ keeps running. If the error has the kind Conflict, Unsupported or
// Forbidden, nothing has changed.
func (f *Fleet) Update(ctx context.Context, offers []Offer) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	var added, again []Offer
	var retired []*offered
	adjusted := map[*offered]Offer{}
	for _, o := range offers {
		s := f.find(o.Name)
		switch {
		case s == nil:
			added = append(added, o)
		case reflect.DeepEqual(s.current(), o):
		case s.offer.Stateless == o.Stateless && reflect.DeepEqual(s.current().Config.Connection(), o.Config.Connection()):
			adjusted[s] = o
		default:
			retired, again = append(retired, s), append(again, o)
		}
	}
	for _, s := range f.offered {
		if !slices.ContainsFunc(offers, func(o Offer) bool { return o.Name == s.name }) {
			retired = append(retired, s)
		}
	}
	if err := f.prepare(ctx, slices.Concat(added, again), offers); err != nil {
		return err
	}
	before := len(f.offered)
	if err := f.add(ctx, added); err != nil {
		f.retire(ctx, f.offered[before:])
		return err
	}
	f.retire(ctx, retired)
	if err := f.add(ctx, again); err != nil {
		return err
	}
	var failed error
	for s, o := range adjusted {
		failed = errors.Join(failed, s.adjust(ctx, o))
	}
	return failed
}

func (f *Fleet) find(name string) *offered {
	i := slices.IndexFunc(f.offered, func(s *offered) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return f.offered[i]
}

// prepare checks whether servers can be offered. If none of the hub's servers is stateless, the
// cluster needs JetStream. If the store of leases does not answer soon, the servers wait for it.
func (f *Fleet) prepare(ctx context.Context, added, all []Offer) error {
	if len(added) == 0 {
		return nil
	}
	if err := f.agree(ctx, added); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(o Offer) bool { return o.Stateless }) {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if _, err := f.leases(soon, added[0].Name, nil); toolscript.KindOf(err) == toolscript.Unsupported {
		return err
	}
	return nil
}

// add offers servers. It is called with changing held.
func (f *Fleet) add(ctx context.Context, offers []Offer) error {
	earlier := f.nc.LastError()
	for _, offer := range offers {
		s, err := f.offer(ctx, offer)
		if s != nil {
			f.offered = append(f.offered, s)
			if err != nil {
				close(s.ended)
			}
		}
		if err != nil {
			return err
		}
		run := s.hold
		if offer.Stateless {
			run = func() { s.watch(s.life) }
		}
		f.work.Go(func() {
			defer close(s.ended)
			run()
		})
	}
	if err := f.nc.Flush(); err != nil {
		return fmt.Errorf("join the fleet: %w", err)
	}
	if err := f.nc.LastError(); err != earlier && errors.Is(err, nats.ErrPermissionViolation) { //nolint:errorlint // whether it is the same value
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"the credentials do not allow this hub to offer its servers: %w; see: toolscript fleet permissions --role hub", err)}
	}
	return nil
}

// retire ends offers. It waits for the calls in flight of each server for at most DrainTime. If
// ctx ends earlier, the rest is left to Close.
func (f *Fleet) retire(ctx context.Context, offers []*offered) {
	var all sync.WaitGroup
	for _, s := range offers {
		all.Go(func() { s.retire(ctx) })
	}
	all.Wait()
	if ctx.Err() == nil {
		f.offered = slices.DeleteFunc(f.offered, func(s *offered) bool { return s.closing.Err() != nil })
	}
}

func (s *offered) retire(ctx context.Context) {
	s.withdraw()
	bounded, cancel := context.WithTimeout(ctx, DrainTime)
	defer cancel()
	s.fleet.drain(bounded, &s.target)
	if ctx.Err() != nil {
		return
	}
	for _, g := range s.fleet.all() {
		g.interrupt(&s.target, &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, RetryAfter: time.Second, Err: fmt.Errorf(
			"the hub on %s stopped offering the server during the call; %s", s.fleet.options.Host, toolscript.UnknownOutcome)})
	}
	s.close()
	<-s.ended
	if !s.offer.Stateless {
		return // hold has ended it
	}
	stop, done := context.WithTimeout(context.Background(), changeTime)
	defer done()
	if err := s.fleet.servers.WithdrawServer(stop, s.name); err != nil {
		s.fleet.log.Error("server not ended", slog.String("server", s.name), slog.String("error", err.Error()))
	}
}

// current returns the offer with its latest limits and selection of tools.
func (s *offered) current() Offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offer
}

// adjust replaces the limits and the selection of tools, even while the server runs.
func (s *offered) adjust(ctx context.Context, o Offer) error {
	s.mu.Lock()
	s.offer.Config = o.Config
	runs := s.token != ""
	s.mu.Unlock()
	if !runs {
		return nil
	}
	return s.fleet.servers.OfferServer(ctx, s.name, o.Config)
}

// announceAll reports the servers again after the process was stopped: gateways may have given
// up the hub.
func (f *Fleet) announceAll() {
	f.changing.Lock()
	defer f.changing.Unlock()
	for _, s := range f.offered {
		s.mu.Lock()
		if s.subs != nil {
			s.announce(s.seen)
		}
		s.mu.Unlock()
	}
}
