package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// KeysBucket is the bucket of JetStream with the records of calls with an idempotency key. The
// key of an entry is the name of its server, a dot, and a name that wire.DoOnce gives its record.
const KeysBucket = "toolscript-calls"

const (
	keysSize   = 256 << 20                  // bytes of the bucket
	recordSize = wire.MaxKeptAnswer + 8<<10 // bytes of one entry
)

var errHubEnded = &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, Err: errors.New("the hub ended during the call; " + toolscript.UnknownOutcome)}

// keyStore keeps the records of one server.
type keyStore struct {
	keys   *keys
	server string
}

// keys opens the bucket when it is needed: most fleets have no such calls.
type keys struct {
	control func() *nats.Conn

	mu sync.Mutex
	kv jetstream.KeyValue // nil: not opened
}

func (k *keys) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kv != nil {
		return k.kv, nil
	}
	js, err := jetstream.New(k.control())
	if err != nil {
		return nil, err
	}
	kv, err := cluster.OpenBucket(ctx, js, jetstream.KeyValueConfig{
		Bucket: KeysBucket, Description: "calls with an idempotency key", TTL: wire.KeyLife, MaxValueSize: recordSize, MaxBytes: keysSize,
	})
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s of JetStream: %w", KeysBucket, err)
	}
	k.kv = kv
	return kv, nil
}

// Create implements wire.KeyStore.
func (s keyStore) Create(ctx context.Context, name string, record []byte) (uint64, error) {
	kv, err := s.keys.bucket(ctx)
	if err != nil {
		return 0, err
	}
	version, err := kv.Create(ctx, s.name(name), record)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return 0, fmt.Errorf("%w: %w", wire.ErrKeyExists, err)
	}
	return version, err
}

// Update implements wire.KeyStore.
func (s keyStore) Update(ctx context.Context, name string, record []byte, version uint64) (uint64, error) {
	kv, err := s.keys.bucket(ctx)
	if err != nil {
		return 0, err
	}
	return kv.Update(ctx, s.name(name), record, version)
}

// Read implements wire.KeyStore.
func (s keyStore) Read(ctx context.Context, name string) ([]byte, uint64, error) {
	kv, err := s.keys.bucket(ctx)
	if err != nil {
		return nil, 0, err
	}
	entry, err := kv.Get(ctx, s.name(name))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound): // there was no record, or it was deleted
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return entry.Value(), entry.Revision(), nil
}

// Delete implements wire.KeyStore.
func (s keyStore) Delete(ctx context.Context, name string, version uint64) error {
	kv, err := s.keys.bucket(ctx)
	if err != nil {
		return err
	}
	return kv.Purge(ctx, s.name(name), jetstream.LastRevision(version))
}

func (s keyStore) name(name string) string { return s.server + "." + name }

// once makes a call with an idempotency key. The call goes on even if its gateway cancels it.
func (c *servedCall) once(sc wire.ServerCall) {
	f := c.gateway.core
	ctx, cancel := f.closing, context.CancelFunc(func() {})
	if !sc.Deadline.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, sc.Deadline)
	}
	go func() {
		defer cancel()
		result, err := wire.DoOnce(c.held.In(ctx), keyStore{f.keys, c.server.name}, wire.KeyedCall{
			Server: c.server.name, Tool: c.head.Tool, Key: c.head.Key, Args: sc.Args,
		}, func(ctx context.Context, _ wire.Attempt) (json.RawMessage, error) { return c.await(ctx, sc) }) // it reports no task
		c.done(result, err)
	}()
}

// await makes a call and waits for its end.
func (c *servedCall) await(ctx context.Context, sc wire.ServerCall) (result json.RawMessage, err error) {
	ended := make(chan struct{})
	sc.Held = budget.HeldOf(ctx)
	sc.Done = func(r json.RawMessage, failed error) {
		result, err = r, failed
		close(ended)
	}
	stop := c.gateway.core.servers.CallServer(c.server.name, sc)
	select {
	case <-ended:
	case <-c.gateway.core.closing.Done():
		stop(errHubEnded)
		<-ended
	}
	return result, err
}
