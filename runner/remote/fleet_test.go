package remote_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/test/kit"
)

// TestFleet checks that a gateway connects when a run needs a runner, that a changed address does
// not end a run in progress, and that a lost connection is replaced.
func TestFleet(t *testing.T) {
	first, second := startNATS(t), startNATS(t)
	serve(t, first, 2)
	serve(t, second, 2)
	url, made := first, []*nats.Conn{}
	f := remote.NewFleet(func() string { return "user1" }, func(_ context.Context, o ...nats.Option) (*nats.Conn, error) {
		nc, err := nats.Connect(url, o...)
		made = append(made, nc)
		return nc, err
	}, slog.Default())
	t.Cleanup(f.Reset)
	exec := func(s *remote.Sandbox) {
		t.Helper()
		o, err := s.Run(kit.Within(t), newJob(t, `export default 1`), &host{})
		if err != nil || string(o.Value) != "1" {
			t.Errorf("%s, %+v, %v", o.Value, o.Err, err)
		}
		s.Close()
	}
	take := func() *remote.Sandbox {
		t.Helper()
		s, err := f.Take(kit.Within(t))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := take()
	exec(take())
	if len(made) != 1 {
		t.Fatalf("%d connections for two runs", len(made))
	}
	url = second
	f.Reset()
	exec(take())
	exec(before)
	if len(made) != 2 || !made[0].IsClosed() {
		t.Errorf("%d connections; the first one is closed: %t", len(made), made[0].IsClosed())
	}
	made[1].Close()
	exec(take())
	if len(made) != 3 {
		t.Errorf("%d connections after a lost one", len(made))
	}
}

// TestUnreachableFleet checks that not every run waits for an unreachable fleet.
func TestUnreachableFleet(t *testing.T) {
	attempts, why := 0, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("no route")}
	f := remote.NewFleet(func() string { return "user1" }, func(context.Context, ...nats.Option) (*nats.Conn, error) {
		attempts++
		return nil, why
	}, slog.Default())
	for range 3 {
		if _, err := f.Take(kit.Within(t)); !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
	}
	if attempts != 1 {
		t.Errorf("%d attempts to connect for three runs", attempts)
	}
	f.Reset()
	if _, err := f.Take(kit.Within(t)); err == nil || attempts != 2 {
		t.Errorf("error %v after %d attempts", err, attempts)
	}
}

// TestSlowFleet checks that nothing but the runs that need a fleet waits while it is being connected, and these only
// until their context ends.
func TestSlowFleet(t *testing.T) {
	connecting, release, why := make(chan struct{}, 2), make(chan struct{}), errors.New("no route")
	f := remote.NewFleet(func() string { return "user1" }, func(context.Context, ...nats.Option) (*nats.Conn, error) {
		connecting <- struct{}{}
		<-release
		return nil, why
	}, slog.Default())
	take := func(ctx context.Context) <-chan error {
		over := make(chan error, 1)
		go func() {
			_, err := f.Take(ctx)
			over <- err
		}()
		return over
	}
	first := take(kit.Within(t))
	kit.Receive(t, connecting)
	reset := make(chan struct{})
	go func() {
		defer close(reset)
		f.Reset()
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := take(ctx)
	kit.Receive(t, reset)
	if err := kit.Receive(t, ended); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("a run that was cancelled: %v", err)
	}
	close(release)
	if err := kit.Receive(t, first); !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}
