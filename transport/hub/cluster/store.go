package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// store keeps the records of leases.
type store interface {
	// read returns the record of a lease, or errNone. The record may be outdated.
	read(ctx context.Context, name string) (notice, error)
	// write replaces a record that has the given revision (0: no record exists), and returns
	// the new revision. It returns errChanged if the revision differs. After any other error,
	// the record may have been written, or may still be written later.
	write(ctx context.Context, name string, r record, revision uint64) (uint64, error)
	// follow calls seen for writes, in any order, and may leave out some. seen must not
	// block.
	follow(name string, seen func(notice)) (stop func())
}

var (
	errNone    = errors.New("there is no record of the lease")
	errChanged = errors.New("the record of the lease has changed")

	errUnreadable = errors.New("its value cannot be read")
)

// bucket is a bucket of the key-value store of JetStream, which also publishes each write
// at a subject.
type bucket struct {
	kv     jetstream.KeyValue
	stream jetstream.Stream // of kv, which does not tell a deleted record from none
	nc     *nats.Conn
}

// subjects begins the subjects at which the NATS server publishes the writes to a bucket.
func subjects(bucket string) string { return "lease." + bucket + "." }

// codeNoCluster is the error code of NATS servers without a cluster for a bucket with replicas.
const codeNoCluster = 10074

// OpenBucket opens the bucket with the name of cfg, and creates it if there is none, with three replicas in a cluster,
// otherwise one.
func OpenBucket(ctx context.Context, js jetstream.JetStream, cfg jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, cfg.Bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	cfg.Replicas = 3
	kv, err = js.CreateKeyValue(ctx, cfg)
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == codeNoCluster {
		cfg.Replicas = 1
		kv, err = js.CreateKeyValue(ctx, cfg)
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another hub was faster
		return js.KeyValue(ctx, cfg.Bucket)
	}
	return kv, err
}

// maxValue bounds a record in bytes.
const maxValue = 4 << 10

func (b *bucket) read(ctx context.Context, name string) (notice, error) {
	m, err := b.stream.GetLastMsgForSubject(ctx, "$KV."+DefaultBucket+"."+name)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return notice{}, errNone
	case err != nil:
		return notice{}, err
	case m.Header.Get("KV-Operation") != "": // deleted or purged
		return notice{deleted: true}, nil
	}
	n, err := decode(m.Data, m.Sequence)
	if err != nil {
		return n, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return n, nil
}

func (b *bucket) write(ctx context.Context, name string, r record, revision uint64) (uint64, error) {
	var err error
	if revision == 0 {
		revision, err = b.kv.Create(ctx, name, r.encode()) // possible even after an operator has deleted the key
	} else {
		revision, err = b.kv.Update(ctx, name, r.encode(), revision)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return 0, fmt.Errorf("%w: %w", errChanged, err)
	}
	return revision, err
}

func (b *bucket) follow(name string, seen func(notice)) func() {
	sub, err := b.nc.Subscribe(subjects(DefaultBucket)+name, func(m *nats.Msg) {
		revision, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return
		}
		if n, err := decode(m.Data, revision); err == nil {
			seen(n)
		}
	})
	if err != nil {
		return func() {} // the connection is closed, and the next request says so
	}
	return func() { _ = sub.Unsubscribe() } // fails only if the connection is closed
}

// LeaseSubjects returns the subjects that an owner of a lease publishes to and subscribes to. name may
// be "*". Answers arrive at the inbox of the owner's connection.
func LeaseSubjects(bucket, name string) (publish, subscribe []string) {
	stream := "KV_" + bucket
	return []string{
		"$JS.API.INFO", "$JS.API.STREAM.INFO." + stream, "$JS.API.STREAM.CREATE." + stream,
		"$JS.API.DIRECT.GET." + stream + ".$KV." + bucket + "." + name, "$KV." + bucket + "." + name,
	}, []string{subjects(bucket) + name}
}
