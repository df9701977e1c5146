package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// open returns leases with their own connection, and the connection.
func open(t *testing.T, s *server.Server) (*cluster.Leases, *nats.Conn) {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	l, err := cluster.OpenLeases(kit.Within(t), js, cluster.LeaseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l, nc
}

// begun is one term of a lease in a test.
type begun struct {
	token uint64
	end   chan struct{} // closed to end the work
	over  chan error    // result of Hold
}

// hold takes the lease in another goroutine and returns when the term has begun.
func hold(t *testing.T, l *cluster.Leases, owner string) *begun {
	t.Helper()
	ctx := kit.Within(t)
	b := &begun{end: make(chan struct{}), over: make(chan error, 1)}
	tokens := make(chan uint64, 1)
	go func() {
		b.over <- l.Hold(ctx, "github", owner, func(ctx context.Context, token uint64) error {
			tokens <- token
			select {
			case <-b.end:
				return cluster.CheckLeases(ctx)
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	select {
	case b.token = <-tokens:
	case err := <-b.over:
		t.Fatalf("%s does not get the lease: %v", owner, err)
	case <-ctx.Done():
		t.Fatalf("%s does not get the lease in time", owner)
	}
	return b
}

// TestDeletedRecord deletes the record of a held lease, as an operator may do.
func TestDeletedRecord(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, &server.Options{JetStream: true, StoreDir: t.TempDir()})
	a, nc := open(t, s)
	first := hold(t, a, "a")
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(kit.Within(t), cluster.DefaultBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(kit.Within(t), "github"); err != nil {
		t.Fatal(err)
	}
	if err := <-first.over; !errors.Is(err, cluster.ErrLost) {
		t.Errorf("Hold: %v", err)
	}
	second := hold(t, a, "a")
	if second.token <= first.token {
		t.Errorf("the second token is %d, the first was %d", second.token, first.token)
	}
	close(second.end)
	if err := <-second.over; err != nil {
		t.Error(err)
	}
}

// TestDeletedRecordOfALostOwner deletes the record of an owner that is cut off. The next owner waits for the end of the
// term, so that two owners are never certain of the lease.
func TestDeletedRecordOfALostOwner(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, &server.Options{JetStream: true, StoreDir: t.TempDir()})
	a, connection := open(t, s)
	b, nc := open(t, s)
	checks, over := make(chan func() error, 1), make(chan error, 1)
	go func() {
		over <- a.Hold(kit.Within(t), "github", "a", func(ctx context.Context, _ uint64) error {
			checks <- func() error { return cluster.CheckLeases(ctx) }
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	check := kit.Receive(t, checks)
	connection.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(kit.Within(t), cluster.DefaultBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(kit.Within(t), "github"); err != nil {
		t.Fatal(err)
	}
	second := hold(t, b, "b")
	if check() == nil {
		t.Error("two owners are certain of the lease")
	}
	close(second.end)
	if err := <-second.over; err != nil {
		t.Error(err)
	}
	if err := kit.Receive(t, over); !errors.Is(err, cluster.ErrLost) {
		t.Errorf("Hold of the first owner: %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	l, _ := open(t, natstest.Start(t, &server.Options{JetStream: true, StoreDir: t.TempDir()}))
	for _, name := range []string{"", "a.b", "a b", "*", ">", strings.Repeat("a", 65)} {
		if err := l.Hold(t.Context(), name, "a", nil); err == nil {
			t.Errorf("Hold accepts the name %q", name)
		}
	}
}
