package lease

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Term names the owner of a lease.
type Term struct {
	Token uint64 // only grows
	Owner string
}

// Watcher knows the newest term of a lease. It is safe for concurrent use.
type Watcher struct {
	leases  *Leases
	name    string
	refresh chan struct{}

	mu       sync.Mutex
	term     Term
	held     bool
	revision uint64
	changed  chan struct{} // closed at the next change
}

// Watch follows a lease until ctx ends. The NATS server sends it each renewal; it makes
// requests only while the owner is silent.
func (l *Leases) Watch(ctx context.Context, name string) (*Watcher, error) {
	if !validName(name) {
		return nil, fmt.Errorf("%q cannot be the name of a lease: it may have letters, digits, - and _", name)
	}
	w := &Watcher{leases: l, name: name, refresh: make(chan struct{}, 1), changed: make(chan struct{})}
	notices := make(chan notice, 1)
	stop := l.store.follow(name, func(n notice) { replace(notices, n) })
	go func() {
		defer stop()
		w.run(ctx, notices)
	}()
	return w, nil
}

// Term returns the newest term, and whether its owner has not released the lease. The
// owner may have ended without releasing it.
func (w *Watcher) Term() (Term, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.term, w.held
}

// Changed returns a channel that is closed when the next term begins, or the present one
// is released.
func (w *Watcher) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// Refresh has the Watcher read the lease now, for example because nobody has received a
// call for the present term.
func (w *Watcher) Refresh() {
	select {
	case w.refresh <- struct{}{}:
	default:
	}
}

// StaleError is the error for an answer of an earlier term. It is not known whether the
// call was carried out.
type StaleError struct{ Token, Newest uint64 }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the answer is of term %d of the lease, and term %d has begun", e.Token, e.Newest)
}

// Admit returns a *StaleError if the token of an answer is lower than the newest one that
// the Watcher knows.
func (w *Watcher) Admit(token uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if token < w.term.Token {
		return &StaleError{Token: token, Newest: w.term.Token}
	}
	return nil
}

func (w *Watcher) run(ctx context.Context, notices <-chan notice) {
	l := w.leases
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case n := <-notices:
			w.apply(n)
			timer.Reset(n.record.TTL)
			continue
		case <-timer.C:
		case <-w.refresh:
		case <-ctx.Done():
			return
		}
		pause := l.ttl / requestPart
		if n, err := l.read(ctx, w.name); err == nil {
			w.apply(n)
		}
		timer.Reset(pause)
	}
}

// apply takes over a record unless a later one is known.
func (w *Watcher) apply(n notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n.revision <= w.revision || n.token() < w.term.Token {
		return
	}
	w.revision = n.revision
	term, held := Term{Token: n.token(), Owner: n.record.Owner}, !n.record.Released
	if term == w.term && held == w.held {
		return
	}
	w.term, w.held = term, held
	close(w.changed)
	w.changed = make(chan struct{})
}
