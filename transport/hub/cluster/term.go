package cluster

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// term is the time in which an owner has the lease.
type term struct {
	leases *Leases
	name   string
	ctx    context.Context //nolint:containedctx // ends with the term
	cancel context.CancelCauseFunc
	until  atomic.Int64 // end of the term on the clock of the Leases, in nanoseconds

	// Used by one goroutine at a time: that of acquire, of renew, and of release.
	record   record
	revision uint64
}

type termKey struct{}

func newTerm(ctx context.Context, l *Leases, name string, r record, revision uint64) *term {
	t := &term{leases: l, name: name, record: r, revision: revision}
	ctx, t.cancel = context.WithCancelCause(ctx)
	t.ctx = context.WithValue(ctx, termKey{}, t)
	return t
}

// CheckLeases returns nil if the lease whose term ctx belongs to is certainly held now, otherwise
// ErrLost. ctx is the context of the function of Hold, or derived from it. CheckLeases sends no
// request. It may detect the end of a term before ctx is cancelled, such as directly after
// the process was paused.
func CheckLeases(ctx context.Context) error {
	t, ok := ctx.Value(termKey{}).(*term)
	if !ok {
		return errors.New("lease: the context does not belong to a term")
	}
	return t.check()
}

func (t *term) check() error {
	if t.left() > 0 {
		return nil
	}
	t.cancel(ErrLost)
	return ErrLost
}

// left returns the time until the end of the term.
func (t *term) left() time.Duration {
	return time.Duration(t.until.Load()) - t.leases.clock()
}

// write writes the record in place of the revision that the term knows, and extends the
// term if that was accepted.
func (t *term) write(ctx context.Context) error {
	l := t.leases
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	sent := l.clock()
	revision, err := l.store.write(ctx, t.name, t.record, t.revision)
	if err != nil {
		return err
	}
	l.saw(t.name, revision)
	t.revision = revision
	if t.record.Token == 0 {
		t.record.Token = revision
	}
	t.until.Store(int64(sent + DefaultTTL - margin))
	return t.check()
}

// keep renews the lease, and ends the context of the term when the term is over, until stop
// is called. stop waits for a renewal in progress.
func (t *term) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { t.renew(ctx) })
	all.Go(func() { t.guard(ctx) })
	return func() {
		cancel()
		t.cancel(context.Canceled)
		all.Wait()
	}
}

// guard ends the context of the term when the term is over.
func (t *term) guard(ctx context.Context) {
	timer := time.NewTimer(t.left())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if t.check() != nil {
				return
			}
			timer.Reset(t.left())
		case <-ctx.Done():
			return
		}
	}
}

// renew writes the record again and again until the term is over.
func (t *term) renew(ctx context.Context) {
	timer := time.NewTimer(renewTime)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-t.ctx.Done():
			return
		case <-ctx.Done():
			return
		}
		pause := repeatTime
		switch err := t.write(ctx); {
		case err == nil:
			pause = renewTime
		case errors.Is(err, errChanged) && !t.recover(ctx):
			t.until.Store(0)
			t.cancel(ErrLost)
			return
		}
		timer.Reset(pause)
	}
}

// recover reads the revision after a write was refused: an earlier one, whose answer was
// lost, may have been accepted. It returns false if another session has the lease.
func (t *term) recover(ctx context.Context) bool {
	at, err := t.leases.read(ctx, t.name)
	if err != nil {
		return true // the next write finds out
	}
	if at.revision < t.revision {
		return true // a replica that is behind the leader has answered
	}
	if at.record.Session != t.record.Session {
		return false
	}
	t.revision = at.revision
	return true
}

// release lets another hub have the lease at once.
func (t *term) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	defer cancel()
	t.record.Released = true
	_, err := t.leases.store.write(ctx, t.name, t.record, t.revision)
	if errors.Is(err, errChanged) && t.recover(ctx) {
		_, _ = t.leases.store.write(ctx, t.name, t.record, t.revision) // best effort: the lease ends by itself
	}
}
