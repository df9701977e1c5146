package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Cleared is a record that Clear has removed.
type Cleared struct {
	Found bool   // there was one
	Owner string // that the record names; "": the record cannot be read
}

// Clear removes the record of a lease that no owner renews, also one that cannot be read: of
// another program, or damaged. It watches the record for the time of a lease first, whatever time
// the record names: hubs have one and the same. If the record changes meanwhile, its owner lives,
// and the error says so. After that, a hub that wants the lease
// gets it when the time of a lease has passed once more.
func Clear(ctx context.Context, js jetstream.JetStream, o Options, name string) (Cleared, error) {
	if !validName(name) {
		return Cleared{}, fmt.Errorf("%q cannot be the name of a lease: it may have letters, digits, - and _", name)
	}
	bucket := cmp.Or(o.Bucket, DefaultBucket)
	kv, err := js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return Cleared{}, nil
	}
	if err != nil {
		return Cleared{}, fmt.Errorf("open the bucket %q for leases: %w", bucket, err)
	}
	first, err := kv.Get(ctx, name)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Cleared{}, nil
	}
	if err != nil {
		return Cleared{}, fmt.Errorf("read the record %q of the bucket %q: %w", name, bucket, err)
	}
	owner := ""
	if n, err := decode(first.Value(), first.Revision()); err == nil {
		owner = n.record.Owner
		if n.record.Released {
			return Cleared{}, nil // a hub that wants it takes it at once
		}
	}
	select {
	case <-time.After(cmp.Or(o.TTL, DefaultTTL)):
	case <-ctx.Done():
		return Cleared{}, context.Cause(ctx)
	}
	err = kv.Delete(ctx, name, jetstream.LastRevision(first.Revision()))
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return Cleared{}, fmt.Errorf("%w: the record %q of the bucket %q is written again and again by %q; end that program first", errChanged, name, bucket, cmp.Or(owner, "another program"))
	}
	if err != nil {
		return Cleared{}, fmt.Errorf("remove the record %q of the bucket %q: %w", name, bucket, err)
	}
	return Cleared{Found: true, Owner: owner}, nil
}
