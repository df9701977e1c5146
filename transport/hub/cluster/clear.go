package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

// Cleared is a record that Release has removed.
type Cleared struct {
	Found bool   // there was a record
	Owner string // owner in the record; "" if the record cannot be read
}

// clearLease removes the record of a lease that no owner renews, even if the record cannot be read
// because another program wrote it or it is damaged. It first watches the record for DefaultTTL,
// regardless of the TTL in the record, because all hubs have the same TTL. If the record changes
// meanwhile, its owner is alive, and clearLease returns an error. After the removal, a hub that wants
// the lease gets it after another TTL.
func clearLease(ctx context.Context, js jetstream.JetStream, name string) (Cleared, error) {
	if !wire.ValidName(name) {
		return Cleared{}, errName(name)
	}
	const bucket = DefaultBucket
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
	case <-time.After(DefaultTTL):
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
