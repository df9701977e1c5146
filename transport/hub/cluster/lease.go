package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

// The bucket of the leases in the key-value store, and how long a lease lasts after a renewal.
const (
	DefaultBucket = "toolscript-leases"
	DefaultTTL    = 3 * time.Second

	margin = DefaultTTL / 6         // by which an owner stops earlier
	minTTL = 500 * time.Millisecond // of a record that another program has written
)

// ErrLost is the cause of the context of a term that has ended because the lease was not
// renewed in time, and the error of CheckLeases after that.
var ErrLost = errors.New("the lease of the server has ended before it was renewed; another hub may own the server now")

// ErrRecord is the reason why no hub gets a lease whose record was not written by a hub, or
// cannot be read.
var ErrRecord = errors.New("the record of the lease was not written by a hub")

// LeaseOptions configure Leases. The zero value has usable defaults.
type LeaseOptions struct {
	Logger *slog.Logger // nil: no log

	// Trouble, if not nil, is called repeatedly while Hold waits, with the reason why no hub
	// can get the lease. err is nil if there is no such reason, and wraps ErrRecord if only a
	// person can help.
	Trouble func(name string, err error)

	clock func() time.Duration // tests replace it; nil: the clock of the system
}

// Leases manages the leases of one bucket of the key-value store. It is safe for concurrent use.
type Leases struct {
	store   store
	clock   func() time.Duration
	logger  *slog.Logger
	trouble func(string, error)

	mu       sync.Mutex
	seen     map[string]sighting      // by name
	deleted  map[string]time.Duration // when a lease was first seen without its record
	finished map[string]string        // the session of the last Hold that has returned, by name
}

// sighting is a revision and the time at which it was first seen.
type sighting struct {
	revision uint64
	at       time.Duration
}

// OpenLeases opens the bucket, and creates it if necessary. ctx limits only this step.
func OpenLeases(ctx context.Context, js jetstream.JetStream, o LeaseOptions) (*Leases, error) {
	kv, err := OpenBucket(ctx, js, jetstream.KeyValueConfig{
		Bucket: DefaultBucket, Description: "owners of servers in the fleet", MaxValueSize: maxValue,
		RePublish: &jetstream.RePublish{Source: "$KV." + DefaultBucket + ".>", Destination: subjects(DefaultBucket) + ">"},
	})
	var stream jetstream.Stream
	if err == nil {
		stream, err = js.Stream(ctx, "KV_"+DefaultBucket)
	}
	if err != nil {
		return nil, fmt.Errorf("open the bucket %q for leases: %w", DefaultBucket, err)
	}
	return newLeases(&bucket{kv, stream, js.Conn()}, o), nil
}

func newLeases(s store, o LeaseOptions) *Leases {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.clock == nil {
		o.clock = Uptime
	}
	if o.Trouble == nil {
		o.Trouble = func(string, error) {}
	}
	return &Leases{
		store: s, clock: o.clock, logger: o.Logger, trouble: o.Trouble,
		seen: map[string]sighting{}, deleted: map[string]time.Duration{}, finished: map[string]string{},
	}
}

// Hold waits until owner gets the lease, calls run, and renews the lease until run has
// returned. It then releases the lease, so that another hub gets it at once. The context
// of run ends with the term, with the cause ErrLost, or with ctx. token is the token of
// the term. Hold returns the error of ctx if it ended before the term began, ErrLost if
// the term has ended before run returned, or else the error of run. See wire.ValidName for names.
func (l *Leases) Hold(ctx context.Context, name, owner string, run func(ctx context.Context, token uint64) error) error {
	if !wire.ValidName(name) {
		return errName(name)
	}
	session := rand.Text()
	t, err := l.acquire(ctx, name, record{Owner: owner, Session: session, TTL: DefaultTTL})
	if err != nil {
		return err
	}
	l.logger.Info("lease begins", slog.String("lease", name), slog.String("owner", owner), slog.Uint64("token", t.record.Token))
	stop := t.keep(ctx)
	err = run(t.ctx, t.record.Token)
	lost := t.check()
	stop()
	l.mu.Lock()
	l.finished[name] = session
	l.mu.Unlock()
	t.release(ctx)
	if lost != nil {
		l.logger.Warn("lease lost", slog.String("lease", name), slog.String("owner", owner), slog.Uint64("token", t.record.Token))
		return errors.Join(lost, ignoreContext(err))
	}
	return err
}

// ignoreContext drops the error of a function that has ended with its context.
func ignoreContext(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

// saw records that a revision is in the store, and returns when it was first seen.
func (l *Leases) saw(name string, revision uint64) time.Duration {
	at := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.seen[name]; revision <= s.revision {
		return s.at
	}
	l.seen[name] = sighting{revision, at}
	return at
}

// sawDeleted records whether the record of a lease is deleted, and returns when that was first seen.
func (l *Leases) sawDeleted(name string, deleted bool) time.Duration {
	at := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !deleted {
		delete(l.deleted, name)
		return at
	}
	if since, ok := l.deleted[name]; ok {
		return since
	}
	l.deleted[name] = at
	return at
}

func errName(name string) error {
	return fmt.Errorf("%q cannot be the name of a lease: it may have at most 64 letters of ASCII, digits, - and _", name)
}
