package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Network is a store in memory behind a simulated network with delays and losses.
type Network struct {
	delay time.Duration // longest delay in each direction

	mu        sync.Mutex
	rand      *rand.Rand
	loss      float64 // share of the messages that are lost or arrive much later
	refuses   error   // error of all writes; nil: they are accepted
	records   map[string]notice
	revision  uint64
	followers map[int]func(string, notice)
	next      int
}

func NewNetwork(delay time.Duration, loss float64, seed uint64) *Network {
	return &Network{delay: delay, loss: loss, rand: rand.New(rand.NewPCG(seed, 1)), records: map[string]notice{}, followers: map[int]func(string, notice){}}
}

// SetLoss changes the share of messages that are lost.
func (n *Network) SetLoss(part float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.loss = part
}

// RefuseWrites makes writes fail, as those of a cluster without a quorum do, while reads succeed.
func (n *Network) RefuseWrites(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuses = err
}

// Open returns the leases of a process with its own clock.
func (n *Network) Open(o LeaseOptions, clock func() time.Duration) *Leases {
	o.clock = clock
	return newLeases(n, o)
}

// pass returns the delay of a message, and whether the message is lost.
func (n *Network) pass() (time.Duration, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Duration(n.rand.Int64N(int64(n.delay) + 1)), n.rand.Float64() < n.loss
}

var errSilent = errors.New("no answer")

func (n *Network) request(ctx context.Context, do func()) error {
	delay, lost := n.pass()
	if lost {
		go func() { // it arrives later, when the caller has given up
			time.Sleep(20 * n.delay)
			do()
		}()
		<-ctx.Done()
		return errSilent
	}
	time.Sleep(delay)
	do()
	if delay, lost = n.pass(); lost {
		<-ctx.Done()
		return errSilent
	}
	time.Sleep(delay)
	return ctx.Err()
}

func (n *Network) read(ctx context.Context, name string) (notice, error) {
	var mu sync.Mutex
	var at notice
	var err error
	failed := n.request(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		mu.Lock()
		defer mu.Unlock()
		if at = n.records[name]; at.revision == 0 {
			err = errNone
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return at, errors.Join(failed, err)
}

func (n *Network) write(ctx context.Context, name string, r record, revision uint64) (uint64, error) {
	var mu sync.Mutex
	var err error
	var written uint64
	failed := n.request(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		mu.Lock()
		defer mu.Unlock()
		switch {
		case n.refuses != nil:
			err = n.refuses
			return
		case n.records[name].revision != revision:
			err = errChanged
			return
		}
		n.revision++
		written = n.revision
		at := notice{record: r, revision: written}
		n.records[name] = at
		for _, f := range n.followers {
			go func() {
				delay, lost := n.pass()
				time.Sleep(delay)
				if !lost {
					f(name, at)
				}
			}()
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return written, errors.Join(failed, err)
}

func (n *Network) follow(name string, seen func(notice)) func() {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := n.next
	n.next++
	n.followers[id] = func(of string, at notice) {
		if of == name {
			seen(at)
		}
	}
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.followers, id)
	}
}
