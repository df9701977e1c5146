package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// simulation counts the terms, checks and overlaps of several owners.
type simulation struct {
	mu       sync.Mutex
	newest   uint64
	terms    int
	overlaps int
	checks   int
}

// began records the begin of a term.
func (s *simulation) began(token uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.terms++
	if token <= s.newest {
		s.overlaps++ // tokens must increase
	}
	s.newest = max(s.newest, token)
}

// checked records that an owner was certain that it still has the lease.
func (s *simulation) checked(token uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks++
	if token < s.newest {
		s.overlaps++
	}
}

// simulate makes several owners, each with a clock of its own rate, compete for a lease. Each holds
// it for a random time, and sometimes continues its work after its term has ended.
func simulate(t *testing.T, seed uint64, loss float64, rates ...float64) *simulation {
	t.Helper()
	s := &simulation{}
	synctest.Test(t, func(t *testing.T) {
		network := cluster.NewNetwork(300*time.Millisecond, loss, seed)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		var owners sync.WaitGroup
		for i, rate := range rates {
			clock := func() time.Duration { return time.Duration(float64(time.Since(start)) * rate) }
			leases := network.Open(cluster.LeaseOptions{}, clock)
			owners.Go(func() {
				for ctx.Err() == nil {
					_ = leases.Hold(ctx, "server", fmt.Sprint("owner ", i), func(ctx context.Context, token uint64) error {
						s.began(token)
						steps := 50 + int(token)%500 // at most 27.5 s
						for range steps {
							if cluster.CheckLeases(ctx) == nil {
								s.checked(token)
							}
							time.Sleep(50 * time.Millisecond)
						}
						return nil
					})
				}
			})
		}
		owners.Wait()
		time.Sleep(time.Minute) // for late messages
	})
	return s
}

func TestSimulatedNetwork(t *testing.T) {
	t.Parallel()
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		for _, loss := range []float64{0, 0.05, 0.3} {
			s := simulate(t, seed, loss, 0.95, 1, 1.05)
			if s.overlaps > 0 {
				t.Errorf("seed %d, loss %g: two owners were certain of the lease %d times", seed, loss, s.overlaps)
			}
			if s.terms < 20 || s.checks < 1000 {
				t.Errorf("seed %d, loss %g: only %d terms and %d checks in 20 minutes", seed, loss, s.terms, s.checks)
			}
		}
	}
}

// TestSimulationFindsOverlaps checks that the simulation reports an overlap if the clock of an
// owner is slower than the margin allows.
func TestSimulationFindsOverlaps(t *testing.T) {
	t.Parallel()
	overlaps := 0
	for seed := range uint64(5) {
		overlaps += simulate(t, seed, 0.3, 0.4, 1).overlaps
	}
	if overlaps == 0 {
		t.Error("no overlap was found, although a clock was slow")
	}
}

func TestLostRenewals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := cluster.NewNetwork(time.Millisecond, 0, 1)
		start := time.Now()
		leases := network.Open(cluster.LeaseOptions{}, func() time.Duration { return time.Since(start) })
		err := leases.Hold(t.Context(), "server", "a", func(ctx context.Context, _ uint64) error {
			time.Sleep(time.Minute)
			if err := cluster.CheckLeases(ctx); err != nil {
				t.Errorf("after a minute of renewals: %v", err)
			}
			network.SetLoss(1)
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), cluster.ErrLost) || !errors.Is(cluster.CheckLeases(ctx), cluster.ErrLost) {
				t.Errorf("the term ended with %v, Check with %v", context.Cause(ctx), cluster.CheckLeases(ctx))
			}
			network.SetLoss(0)
			return ctx.Err()
		})
		if !errors.Is(err, cluster.ErrLost) {
			t.Errorf("Hold: %v", err)
		}
		time.Sleep(time.Minute)
	})
}

// TestRefusedWrites checks that a candidate reports that the store refuses its record, and later that it does not.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network, start, refused := cluster.NewNetwork(time.Millisecond, 0, 1), time.Now(), errors.New("no quorum")
		network.RefuseWrites(refused)
		troubles := make(chan error, 1000)
		leases := network.Open(cluster.LeaseOptions{Trouble: func(_ string, err error) { troubles <- err }}, func() time.Duration { return time.Since(start) })
		time.AfterFunc(10*time.Second, func() { network.RefuseWrites(nil) })
		err := leases.Hold(t.Context(), "server", "a", func(context.Context, uint64) error { return nil })
		if first := <-troubles; err != nil || !errors.Is(first, refused) {
			t.Errorf("the reason for the wait is %v; Hold: %v", first, err)
		}
		for len(troubles) > 1 {
			<-troubles
		}
		if last := <-troubles; last != nil {
			t.Errorf("the owner still reports %v", last)
		}
		time.Sleep(time.Minute)
	})
}

// TestSuspended stops the clock of timers but not that of the lease, like a suspended machine.
func TestSuspended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := cluster.NewNetwork(time.Millisecond, 0, 1)
		start := time.Now()
		var suspended time.Duration
		var mu sync.Mutex
		clock := func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return time.Since(start) + suspended
		}
		leases := network.Open(cluster.LeaseOptions{}, clock)
		err := leases.Hold(t.Context(), "server", "a", func(ctx context.Context, _ uint64) error {
			mu.Lock()
			suspended = time.Hour
			mu.Unlock()
			if err := cluster.CheckLeases(ctx); !errors.Is(err, cluster.ErrLost) {
				t.Errorf("Check after an hour: %v", err)
			}
			if ctx.Err() == nil {
				t.Error("the context of the term goes on")
			}
			return nil
		})
		if !errors.Is(err, cluster.ErrLost) {
			t.Errorf("Hold: %v", err)
		}
	})
}
