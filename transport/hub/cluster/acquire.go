package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	renewTime   = DefaultTTL / 4  // between two writes of an owner
	requestTime = DefaultTTL / 3  // limit for a request to the store
	repeatTime  = DefaultTTL / 30 // until a failed request is repeated
)

// acquire waits for the lease.
func (l *Leases) acquire(ctx context.Context, name string, r record) (*term, error) {
	notices := make(chan notice, 1)
	defer l.store.follow(name, func(n notice) { replace(notices, n) })()
	for {
		wait := repeatTime
		at, err := l.read(ctx, name)
		if err == nil {
			var t *term
			if t, wait, err = l.attempt(ctx, name, r, at); t != nil {
				l.trouble(name, nil)
				return t, nil
			}
		}
		if errors.Is(err, errUnreadable) {
			wait = requestTime
		}
		if ctx.Err() == nil {
			l.trouble(name, l.explain(name, at, err))
		}
		if err := l.pause(ctx, name, wait, notices); err != nil {
			return nil, err
		}
	}
}

// explain returns why no hub can get the lease. err is the error of reading or writing the record.
// explain returns nil while an owner renews the lease.
func (l *Leases) explain(name string, at notice, err error) error {
	where := fmt.Sprintf("key %s of the bucket %s", name, DefaultBucket)
	switch {
	case errors.Is(err, errUnreadable):
		return fmt.Errorf("%w: %s: %w", ErrRecord, where, err)
	case err != nil:
		return fmt.Errorf("the store of leases does not answer: %w", err)
	case at.revision == 0 || at.record.Released || at.record.TTL <= DefaultTTL:
		return nil
	}
	if l.clock()-l.saw(name, at.revision) < DefaultTTL {
		return nil
	}
	return fmt.Errorf("%w: %s: %q has written it for %s and does not renew it", ErrRecord, where, at.record.Owner, at.record.TTL)
}

// pause waits, longer while the owner renews the lease, and returns early if the lease is released.
func (l *Leases) pause(ctx context.Context, name string, wait time.Duration, notices <-chan notice) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case n := <-notices:
			l.saw(name, n.revision)
			if n.record.Released {
				return nil
			}
			timer.Reset(poll(n.record))
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// poll returns the time without a notice after which a candidate reads the record.
func poll(r record) time.Duration { return min(r.TTL, DefaultTTL) / 3 }

// replace puts a notice into a channel of length one in place of an earlier one.
func replace(to chan notice, n notice) {
	for {
		select {
		case to <- n:
			return
		default:
		}
		select {
		case <-to:
		default:
		}
	}
}

func (l *Leases) read(ctx context.Context, name string) (notice, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	n, err := l.store.read(ctx, name)
	if errors.Is(err, errNone) {
		return notice{}, nil
	}
	return n, err
}

// attempt writes the record r if the lease is free. Otherwise it returns how long to wait, and the error if the
// store has not accepted the record. A record of another candidate is no error.
func (l *Leases) attempt(ctx context.Context, name string, r record, at notice) (*term, time.Duration, error) {
	since, deleted := l.saw(name, at.revision), l.sawDeleted(name, at.deleted)
	l.mu.Lock()
	own := at.record.Session == l.finished[name]
	l.mu.Unlock()
	switch {
	case at.deleted: // the owner cannot renew the lease, and its term ends within the time to live
		if left := deleted + DefaultTTL - l.clock(); left > 0 {
			return nil, left, nil
		}
	case at.revision == 0 || at.record.Released || own:
	case at.record.Session == r.Session: // an attempt without an answer was accepted
		r.Token = at.token()
	default:
		if left := since + at.record.TTL - l.clock(); left > 0 {
			return nil, min(left, poll(at.record)), nil
		}
	}
	t := newTerm(ctx, l, name, r, at.revision)
	if err := t.write(ctx); err != nil {
		t.cancel(ErrLost)
		if errors.Is(err, errChanged) || errors.Is(err, ErrLost) {
			err = nil
		}
		return nil, repeatTime, err
	}
	return t, 0, nil
}
