package host_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// process returns a connection to a server, and the id of the server's process.
func process(t *testing.T, f *hub.Fleet, name string) (*hub.FleetConn, int) {
	t.Helper()
	c, err := f.Dial(kit.Within(t), name, upstream.Config{}, upstream.Events{})
	if err != nil {
		t.Fatalf("dial %s: %v", name, err)
	}
	result, err := callOn(t, c, "args", `{}`)
	var p struct{ PID int }
	if err := json.Unmarshal([]byte(text(t, result, err)), &p); err != nil {
		t.Fatal(err)
	}
	return c, p.PID
}

func offer(t *testing.T, at cluster.Address, name string, offers ...host.Offer) *host.Fleet {
	t.Helper()
	h, err := joinWith(t, at, name, nil, offers...)
	if err != nil {
		t.Fatal(err)
	}
	return h.Fleet
}

// TestFleetUpdate: new settings of a hub affect only the servers that have changed. A call in flight
// at a server with an owner continues.
func TestFleetUpdate(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	owned, free := host.Offer{Name: "owned", Config: cfg}, host.Offer{Name: "free", Config: cfg, Stateless: true}
	f := offer(t, at, "one", owned, free)
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
	if entries := list(t, at); len(entries) != 1 || entries[0].Server != "owned" {
		t.Errorf("the hub offers %+v", entries)
	}

	other := offer(t, at, "two", host.Offer{Name: "third", Config: cfg, Stateless: true})
	kindIs(t, f.Update(kit.Within(t), []host.Offer{{Name: "third", Config: cfg}}), toolscript.Conflict, "all hubs need the same value")
	if _, err := g.Dial(kit.Within(t), "owned", upstream.Config{}, upstream.Events{}); err != nil {
		t.Errorf("after an update that was refused: %v", err)
	}
	other.Close()
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

	hubs := make(chan struct{})
	go func() {
		defer close(hubs)
		<-first.Drained()
		first.Close()
	}()
	left, err := cluster.Drain(kit.Within(t), at, "one")
	if err != nil || len(left) != 1 || left[0].Hub != first.ID() {
		t.Errorf("drained %+v: %v", left, err)
	}
	kit.Receive(t, hubs)
	_, err = cluster.Drain(kit.Within(t), at, "one")
	kindIs(t, err, toolscript.NotFound, "no hub on the host")
}
