package host_test

import (
	"strings"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// leases returns the entries of the server in the list of the fleet: its owner, and the hubs that
// wait for the lease.
func leases(t *testing.T, at cluster.Address) (owner *cluster.Entry, standbys []string) {
	t.Helper()
	for _, e := range list(t, at) {
		switch {
		case e.State.Standby:
			standbys = append(standbys, e.Host)
		case e.State.Lease > 0:
			if owner != nil {
				t.Fatalf("two owners: %s and %s", owner.Host, e.Host)
			}
			owner = &e
		}
	}
	return owner, standbys
}

// TestOwner checks that only one of two hubs runs a server that keeps state, and that the other
// hub runs it when the owner ends or is lost.
func TestOwner(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	hubs := map[string]*fleetHub{"one": mustJoin(t, at, "one", cfg, false), "two": mustJoin(t, at, "two", cfg, false)}
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	first, standbys := leases(t, at)
	if first == nil || len(standbys) != 1 {
		t.Fatalf("owner %+v, waiting: %v", first, standbys)
	}
	if _, runs := hubs[standbys[0]].system.ViewServer("srv"); runs {
		t.Error("the server runs at a hub without the lease")
	}
	before := pid(t, s)
	hubs[first.Host].Close()
	if _, runs := hubs[first.Host].system.ViewServer("srv"); runs {
		t.Error("the server goes on after its hub has left")
	}
	kit.Eventually(t, "the other hub answers", func() bool {
		id, err := processOf(s)
		return err == nil && id != before
	})
	second, _ := leases(t, at)
	if second == nil || second.Host != standbys[0] || second.State.Lease <= first.State.Lease {
		t.Errorf("owner %+v after %+v", second, first)
	}

	third := mustJoin(t, at, "three", cfg, false)
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__never"})
		failed <- err
	}()
	kit.Eventually(t, "the call is in flight", func() bool {
		view, _ := hubs[second.Host].system.ViewServer("srv")
		return view.Status.InFlight == 1
	})
	hubs[second.Host].Cut()
	kindIs(t, <-failed, toolscript.Unavailable, "whether the call was carried out is not known")
	kit.Eventually(t, "the third hub answers", func() bool {
		_, err := processOf(s)
		view, runs := third.system.ViewServer("srv")
		return err == nil && runs && view.Status.State == toolscript.Ready
	})
	kit.Eventually(t, "the second hub has ended the server", func() bool {
		_, runs := hubs[second.Host].system.ViewServer("srv")
		return !runs
	})
}

// TestWithoutJetStream checks that only servers that keep state need JetStream.
func TestWithoutJetStream(t *testing.T) {
	t.Parallel()
	at, cfg := startNATSWith(t, &natsserver.Options{}), config(t, "")
	_, err := joinFleet(t, at, "one", cfg, false)
	kindIs(t, err, toolscript.Unsupported, "the server srv is not stateless")
	if !strings.Contains(err.Error(), `enable "jetstream"`) {
		t.Errorf("no advice: %v", err)
	}
	mustJoin(t, at, "one", cfg, true)
	ready(t, fleetGateway(t, at, cfg))
}
