package host_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
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
	c := dialFleet(t, at, cfg)
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
			_, err := callOn(t, dialFleet(t, at, cfg), "args", `{}`)
			return err == nil
		})
	}
}

// node is a NATS server of a cluster of three.
type node struct {
	*natsserver.Server
	options *natsserver.Options
}

// newCluster reserves ports for three NATS servers with JetStream, without starting them.
func newCluster(t *testing.T) (nodes [3]*node) {
	t.Helper()
	ports, err := harness.FreePorts(2 * len(nodes))
	if err != nil {
		t.Fatal(err)
	}
	var routes []*url.URL
	for i := range nodes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + strconv.Itoa(ports[2*i])})
	}
	for i := range nodes {
		o := &natsserver.Options{
			ServerName: fmt.Sprint("node", i), Host: "127.0.0.1", Port: ports[2*i+1], NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir(), Routes: routes,
		}
		o.Cluster.Name, o.Cluster.Host, o.Cluster.Port = "fleet", "127.0.0.1", ports[2*i]
		nodes[i] = &node{options: o}
		t.Cleanup(nodes[i].stop)
	}
	return nodes
}

func (n *node) start(t *testing.T) {
	t.Helper()
	var err error
	if n.Server, err = natsserver.NewServer(n.options); err != nil {
		t.Fatal(err)
	}
	n.Start()
	if !n.ReadyForConnections(kit.Patience) {
		t.Fatal("the NATS server is not ready")
	}
}

func (n *node) stop() {
	if n.Server != nil {
		n.Shutdown()
		n.WaitForShutdown()
		n.Server = nil
	}
}

// TestWithoutQuorum checks that a hub offers its stateless servers even while most of the NATS servers with
// JetStream do not run, and that its other servers wait, say why, and start when the cluster is complete.
func TestWithoutQuorum(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 13 seconds")
	}
	nodes, cfg := newCluster(t), config(t, "")
	nodes[0].start(t)
	at := cluster.Address{URL: nodes[0].ClientURL()}
	system, err := actors.Start(actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
		defer cancel()
		if err := system.Close(ctx); err != nil {
			t.Errorf("close the servers: %v", err)
		}
	})
	f, err := host.Join(kit.Within(t), host.FleetOptions{
		Address: at, Host: "one", Version: "test", Servers: system,
		Offers: []host.Offer{{Name: "owned", Config: cfg}, {Name: "srv", Config: cfg, Stateless: true}},
	})
	if err != nil {
		t.Fatalf("join without a quorum: %v", err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("leave the fleet: %v", err)
		}
	})
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	if _, err := processOf(s); err != nil {
		t.Errorf("a call of the stateless server: %v", err)
	}
	entry := func(name string) (found cluster.Entry) {
		for _, e := range list(t, at) {
			if e.Server == name {
				found = e
			}
		}
		return found
	}
	kit.Eventually(t, "the list says why the server waits", func() bool {
		e := entry("owned")
		return e.State.Standby && strings.Contains(e.State.Error, "does not answer for the leases")
	})
	nodes[1].start(t)
	nodes[2].start(t)
	kit.Eventually(t, "the server has an owner", func() bool {
		e := entry("owned")
		return e.State.Lease > 0 && e.State.Error == ""
	})
	if _, err := processOf(s); err != nil {
		t.Errorf("a call of the stateless server afterwards: %v", err)
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
