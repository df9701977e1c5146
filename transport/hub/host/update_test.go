package host_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// fleetOf connects to a fleet as a gateway without actors does.
func fleetOf(t *testing.T, at cluster.Address) *hub.Fleet {
	t.Helper()
	f := hub.NewFleet(hub.FleetOptions{Address: func() cluster.Address { return at }})
	t.Cleanup(f.Close)
	return f
}

// process returns a connection to a server, and the id of the server's process.
func process(t *testing.T, f *hub.Fleet, name string) (*hub.FleetConn, int) {
	t.Helper()
	c, err := f.Dial(kit.Within(t), name, upstream.Config{}, upstream.Events{})
	if err != nil {
		t.Fatalf("dial %s: %v", name, err)
	}
	over := make(chan outcome, 1)
	c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "args", Done: func(result json.RawMessage, err error) { over <- outcome{result, err} }})
	o := kit.Receive(t, over)
	var p struct{ PID int }
	if err := json.Unmarshal([]byte(text(t, o.result, o.err)), &p); err != nil {
		t.Fatal(err)
	}
	return c, p.PID
}

func joinWith(t *testing.T, at cluster.Address, name string, offers ...host.Offer) *host.Fleet {
	t.Helper()
	system, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		t.Fatal(err)
	}
	f, err := host.Join(kit.Within(t), host.FleetOptions{Address: at, Host: name, Version: "test", Servers: system, Offers: offers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.Close() // the test may have closed it
		ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
		defer cancel()
		if err := system.Close(ctx); err != nil {
			t.Errorf("close the servers: %v", err)
		}
	})
	return f
}

// TestFleetUpdate: new settings of a hub affect only the servers that have changed. A call in flight
// at a server with an owner continues.
func TestFleetUpdate(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	owned, free := host.Offer{Name: "owned", Config: cfg}, host.Offer{Name: "free", Config: cfg, Stateless: true}
	f := joinWith(t, at, "one", owned, free)
	g := fleetOf(t, at)
	c, before := process(t, g, "owned")
	_, freeBefore := process(t, g, "free")
	over := make(chan outcome, 1)
	flight := c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "never", Done: func(result json.RawMessage, err error) { over <- outcome{result, err} }})

	limited := free
	limited.Config.ExcludeTools = []string{"echo"}
	if err := f.Update(kit.Within(t), []host.Offer{owned, limited, {Name: "added", Config: cfg}}); err != nil {
		t.Fatal(err)
	}
	process(t, g, "added")
	if _, after := process(t, g, "owned"); after != before {
		t.Errorf("the server with an owner has the process %d, before %d", after, before)
	}
	changed, after := process(t, g, "free")
	if after != freeBefore {
		t.Errorf("the server whose tools are limited has the process %d, before %d", after, freeBefore)
	}
	_, refused := startCall(t, changed, "x")
	kindIs(t, kit.Receive(t, refused).err, toolscript.NotFound, "does not offer the tool")
	if len(over) > 0 || c.Err() != nil {
		t.Errorf("the connection that has not changed: %v", c.Err())
	}

	moved := owned
	moved.Config.Dir = t.TempDir()
	flight.Cancel("cancelled", &toolscript.Error{Kind: toolscript.Cancelled})
	kit.Receive(t, over)
	if err := f.Update(kit.Within(t), []host.Offer{moved}); err != nil {
		t.Fatal(err)
	}
	if _, after := process(t, g, "owned"); after == before {
		t.Error("a server with another folder has the same process")
	}
	nc, err := cluster.Connect(kit.Within(t), at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	entries, err := cluster.List(kit.Within(t), nc)
	if err != nil || len(entries) != 1 || entries[0].Server != "owned" {
		t.Errorf("the hub offers %+v, %v", entries, err)
	}

	other := joinWith(t, at, "two", host.Offer{Name: "third", Config: cfg, Stateless: true})
	kindIs(t, f.Update(kit.Within(t), []host.Offer{{Name: "third", Config: cfg}}), toolscript.Conflict, "all hubs need the same value")
	if _, err := g.Dial(kit.Within(t), "owned", upstream.Config{}, upstream.Events{}); err != nil {
		t.Errorf("after an update that was refused: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}

// TestFleetRelease: on request of an operator, the owner of a server releases it to another hub,
// after the calls in flight.
func TestFleetRelease(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	first, begun := joinHeld(t, at, "one", cfg, false, 10)
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	mustJoin(t, at, "two", cfg, false)
	over := begin(t, s)
	c := kit.Receive(t, begun)
	r, err := cluster.Release(kit.Within(t), at, "srv")
	if err != nil || r.Host != "one" {
		t.Fatalf("released %+v: %v", r, err)
	}
	c.Done(answerWith("late"), nil)
	o := kit.Receive(t, over)
	if got := text(t, o.result, o.err); got != "late" {
		t.Errorf("the call in flight was answered with %q", got)
	}
	if _, err := processOf(s); err != nil {
		t.Errorf("a call of the next owner: %v", err)
	}
	if owner, _ := leases(t, at); owner == nil || owner.Host != "two" {
		t.Errorf("the owner is %+v", owner)
	}

	hubs := make(chan error, 1)
	go func() {
		<-first.Drained()
		hubs <- first.Close()
	}()
	left, err := cluster.Drain(kit.Within(t), at, "one")
	if err != nil || len(left) != 1 || left[0].Hub != first.ID() {
		t.Errorf("drained %+v: %v", left, err)
	}
	if err := kit.Receive(t, hubs); err != nil {
		t.Error(err)
	}
	_, err = cluster.Drain(kit.Within(t), at, "one")
	kindIs(t, err, toolscript.NotFound, "no hub on the host")
}

// TestFleetForeignLease: an unreadable lease record prevents a server from starting until an
// operator releases the lease.
func TestFleetForeignLease(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	owner := mustJoin(t, at, "one", cfg, false) // also creates the bucket
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	nc, err := cluster.Connect(kit.Within(t), at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	record(t, nc, "srv", "not a lease")
	mustJoin(t, at, "two", cfg, false)
	r, err := cluster.Release(kit.Within(t), at, "srv")
	if err != nil || !r.Cleared.Found || r.Cleared.Owner != "" {
		t.Fatalf("released %+v: %v", r, err)
	}
	kit.Eventually(t, "the hub owns the server", func() bool {
		owner, _ := leases(t, at)
		return owner != nil && owner.Host == "two"
	})
	r, err = cluster.Release(kit.Within(t), at, "another")
	if err != nil || r.Host != "" || r.Cleared.Found {
		t.Errorf("a server without a lease: %+v, %v", r, err)
	}
}

// record replaces the record of a lease by a value.
func record(t *testing.T, nc *nats.Conn, name, value string) {
	t.Helper()
	if err := nc.Publish("$KV."+cluster.DefaultBucket+"."+name, []byte(value)); err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushWithContext(kit.Within(t)); err != nil {
		t.Fatal(err)
	}
}
