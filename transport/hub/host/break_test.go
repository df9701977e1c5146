package host_test

import (
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// TestBreak checks that an owner keeps its lease and the process of its server if its connection
// is broken for less than the time of a lease.
func TestBreak(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	through, p := proxied(t, at)
	h := mustJoin(t, through, "one", cfg, false)
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	before, process := owner(t, at), pid(t, s)
	p.Stop() // closes the connections
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	kit.Eventually(t, "the hub answers again", func() bool {
		id, err := processOf(s)
		if err == nil && id != process {
			t.Fatalf("process %d after %d", id, process)
		}
		return err == nil
	})
	if after := owner(t, at); after.Hub != before.Hub || after.State.Lease != before.State.Lease {
		t.Errorf("after the break the owner is %+v, and was %+v", after, before)
	}
	select {
	case <-h.Lost():
		t.Error("the hub counts as lost")
	default:
	}
}

// owner returns the list entry of the server's owner.
func owner(t *testing.T, at cluster.Address) *cluster.Entry {
	t.Helper()
	var found *cluster.Entry
	kit.Eventually(t, "the server has an owner", func() bool {
		found, _ = leases(t, at)
		return found != nil
	})
	return found
}

// TestLongBreak checks that a hub is considered lost if its connection does not come back.
func TestLongBreak(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	through, p := proxied(t, at)
	h := mustJoin(t, through, "one", cfg, false)
	owner(t, at)
	p.Stop()
	select {
	case <-h.Lost():
	case <-kit.Within(t).Done():
		t.Fatal("the hub does not notice")
	}
	kit.Eventually(t, "the server has ended", func() bool {
		_, runs := h.system.ViewServer("srv")
		return !runs
	})
}

// TestBreakOfLargeAnswer checks that a call ends with an error if the connection of the hub breaks
// while the answer is sent.
func TestBreakOfLargeAnswer(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	through, p := proxied(t, at)
	limit(t, p, 100)
	h := mustJoin(t, through, "one", cfg, true)
	c := dialFleet(t, at)
	failed := make(chan error, 1)
	go func() {
		_, err := callOn(t, c, "big", `{"bytes":20000000}`)
		failed <- err
	}()
	kit.Eventually(t, "the answer is on its way", func() bool {
		view, _ := h.system.ViewServer("srv")
		return view.Status.InFlight == 0 && h.Answers() == 1
	})
	p.Stop()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	kindIs(t, <-failed, toolscript.Unavailable, "whether the call was carried out is not known")
	kit.Eventually(t, "the hub has dropped the answer", func() bool { return h.Answers() == 0 })
	if _, err := callOn(t, c, "args", `{}`); err != nil {
		kit.Eventually(t, "the hub answers again", func() bool {
			_, err := callOn(t, dialFleet(t, at), "args", `{}`)
			return err == nil
		})
	}
}

// list returns the servers that the fleet offers.
func list(t *testing.T, at cluster.Address) []cluster.Entry {
	t.Helper()
	nc, err := cluster.Connect(kit.Within(t), at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	all, err := cluster.List(kit.Within(t), nc)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
