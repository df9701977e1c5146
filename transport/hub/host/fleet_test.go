package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// startNATS starts a NATS server on a port of 127.0.0.1.
func startNATS(t *testing.T) cluster.Address {
	t.Helper()
	return startNATSWith(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir()})
}

func startNATSWith(t *testing.T, o *natsserver.Options) cluster.Address {
	t.Helper()
	return cluster.Address{URL: natstest.Start(t, o).ClientURL()}
}

// fleetHub is a hub of a fleet that runs in this process.
type fleetHub struct {
	*host.Fleet
	system *actors.System
}

// joinFleet starts a hub that offers the server srv.
func joinFleet(t *testing.T, at cluster.Address, name string, cfg upstream.Config, stateless bool) (*fleetHub, error) {
	t.Helper()
	return joinWith(t, at, name, nil, host.Offer{Name: "srv", Config: cfg, Stateless: stateless})
}

// joinWith starts a hub with offers. If begun is not nil, it receives the calls, which the test then answers.
func joinWith(t *testing.T, at cluster.Address, name string, begun chan wire.ServerCall, offers ...host.Offer) (*fleetHub, error) {
	t.Helper()
	system := startSystem(t, actors.Options{ServersOnly: true, Dial: upstream.Host{}.Dial()})
	o := host.FleetOptions{Address: at, Host: name, Version: "test", Servers: system, Offers: offers}
	if begun != nil {
		o.Servers = heldServers{system, begun}
	}
	f, err := host.Join(kit.Within(t), o)
	if err != nil {
		return nil, err
	}
	t.Cleanup(f.Close)
	return &fleetHub{f, system}, nil
}

func mustJoin(t *testing.T, at cluster.Address, name string, cfg upstream.Config, stateless bool) *fleetHub {
	t.Helper()
	h, err := joinFleet(t, at, name, cfg, stateless)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// fleetGateway starts a gateway that uses the server srv of a fleet.
func fleetGateway(t *testing.T, at cluster.Address, cfg upstream.Config) *actors.System {
	t.Helper()
	cfg.Shared = upstream.SharedHost
	return startGateway(t, upstream.DialWith(fleetOf(t, at).Dial), cfg)
}

// processOf calls a tool that returns the id of the server's process.
func processOf(s *actors.System) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), kit.Patience)
	defer cancel()
	result, err := s.CallTool(ctx, toolscript.Call{ID: "srv__args", Args: json.RawMessage(`{}`), Wait: kit.Patience})
	if err != nil {
		return 0, err
	}
	var r struct{ Content []struct{ Text string } }
	var p struct{ PID int }
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) == 0 {
		return 0, fmt.Errorf("result %s: %w", result, err)
	}
	return p.PID, json.Unmarshal([]byte(r.Content[0].Text), &p)
}

// TestFleetSpread checks that calls of a stateless server are spread over all hubs that offer it,
// and that the other hubs get all calls after one hub has left.
func TestFleetSpread(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	first := mustJoin(t, at, "one", cfg, true)
	mustJoin(t, at, "two", cfg, true)
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	seen := map[int]bool{}
	kit.Eventually(t, "both hubs have answered", func() bool {
		id, err := processOf(s)
		if err != nil {
			t.Fatal(err)
		}
		seen[id] = true
		return len(seen) == 2
	})
	first.Close()
	rest := map[int]bool{}
	for range 20 {
		id, err := processOf(s)
		if err != nil {
			t.Fatal(err)
		}
		rest[id] = true
	}
	if len(rest) != 1 {
		t.Errorf("processes that answered after one of two hubs has left: %v", rest)
	}
}

// TestFleetAgrees checks that hubs cannot disagree about whether a server is stateless.
func TestFleetAgrees(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	mustJoin(t, at, "one", cfg, false)
	_, err := joinFleet(t, at, "two", cfg, true)
	kindIs(t, err, toolscript.Conflict, "all hubs need the same value")
}

// TestFleetLeaves checks that calls in flight end with a hint when their hub ends, and that the gateway
// uses the hub that comes next. The test has no short form, because a hub that ends waits for its calls.
func TestFleetLeaves(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	first := mustJoin(t, at, "one", cfg, false)
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__never"})
		failed <- err
	}()
	kit.Eventually(t, "the call is in flight", func() bool {
		view, _ := first.system.ViewServer("srv")
		return view.Status.InFlight == 1
	})
	first.Close()
	err := <-failed
	kindIs(t, err, toolscript.Unavailable, "whether the call was carried out is not known")
	mustJoin(t, at, "two", cfg, false)
	if _, err := processOf(s); err != nil {
		t.Errorf("a call of the next hub: %v", err)
	}
}

// TestFleetFilter checks that a hub executes only the tools that its operator offers.
func TestFleetFilter(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	limited := cfg
	limited.ExcludeTools = []string{"echo"}
	mustJoin(t, at, "one", limited, true)
	c := dialFleet(t, at)
	tools, err := c.ListTools(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if tool.Name == "echo" {
			t.Error("the list has the excluded tool")
		}
	}
	done := make(chan error, 1)
	c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(_ json.RawMessage, err error) { done <- err }})
	kindIs(t, <-done, toolscript.NotFound, "does not offer the tool")
	var by toolscript.Origin
	c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "args", Origin: &by, Done: func(_ json.RawMessage, err error) { done <- err }})
	if err := <-done; err != nil || by.Host() != "one" {
		t.Errorf("a call was carried out on %q: %v", by.Host(), err)
	}
}

// TestFleetAddress checks that errors about invalid addresses name the mistake, and contain no password.
func TestFleetAddress(t *testing.T) {
	for _, tt := range []struct {
		at   cluster.Address
		kind toolscript.Kind
		part string
	}{
		{cluster.Address{URL: "nats://me:hunter2@127.0.0.1:1"}, toolscript.Unavailable, "nats://127.0.0.1:1"},
		{cluster.Address{URL: "nats://me:hunter2@[::"}, toolscript.Unavailable, "cannot be read"},
		{cluster.Address{}, toolscript.Invalid, "url"},
		{cluster.Address{URL: "nats://127.0.0.1:1", Credentials: os.DevNull}, toolscript.Invalid, "neither a JWT nor the seed"},
		{cluster.Address{URL: "nats://127.0.0.1:1", Cert: "a"}, toolscript.Invalid, "both"},
	} {
		_, err := cluster.Connect(kit.Within(t), tt.at)
		kindIs(t, err, tt.kind, tt.part)
		for _, shown := range []string{fmt.Sprint(err), fmt.Sprint(tt.at), fmt.Sprintf("%#v", tt.at)} {
			if strings.Contains(shown, "hunter2") {
				t.Errorf("the password is shown: %s", shown)
			}
		}
	}
}

// TestFleetLostHub checks that a call in flight ends if its hub disappears without leaving the fleet.
func TestFleetLostHub(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	first := mustJoin(t, at, "one", cfg, true)
	s := fleetGateway(t, at, cfg)
	ready(t, s)
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__never"})
		failed <- err
	}()
	kit.Eventually(t, "the call is in flight", func() bool {
		view, _ := first.system.ViewServer("srv")
		return view.Status.InFlight == 1
	})
	first.Cut()
	err := <-failed
	kindIs(t, err, toolscript.Unavailable, "the hub has ended; whether the call was carried out is not known")
	var known *toolscript.Error
	if !errors.As(err, &known) || known.Sent != toolscript.SentUnknown || known.RetryAfter <= 0 { // retryable: the tool only reads
		t.Errorf("the error does not say that the outcome is unknown, or has no hint when to try again: %+v", known)
	}
	kit.Eventually(t, "the hub has noticed", func() bool {
		select {
		case <-first.Lost():
			return true
		default:
			return false
		}
	})
}

// TestAskedAtItsEnd: a hub ends even if it is constantly asked for its statistics. The requests begin
// after the hub has started, because micro.AddService finally writes a field that Stats reads.
func TestAskedAtItsEnd(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	nc, err := cluster.Connect(kit.Within(t), at)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	inbox := nc.NewRespInbox()
	ask := func(over <-chan struct{}) {
		for {
			select {
			case <-over:
				return
			default:
				_ = nc.PublishRequest("$SRV.STATS."+cluster.Service("srv"), inbox, nil) // a lost connection fails the test
				time.Sleep(50 * time.Microsecond)                                       // leaves the hub time to answer
			}
		}
	}
	for range 100 {
		h := mustJoin(t, at, "one", cfg, true)
		over := make(chan struct{})
		var asking sync.WaitGroup
		for range 2 {
			asking.Go(func() { ask(over) })
		}
		kit.Receive(t, closing(h.Fleet))
		close(over)
		asking.Wait()
		if err := nc.FlushWithContext(kit.Within(t)); err != nil { // so that no request reaches the next hub
			t.Fatal(err)
		}
	}
}

// TestEndedGateway checks that the list of the fleet does not count gateways that have ended, even
// without leaving the fleet.
func TestEndedGateway(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	mustJoin(t, at, "one", cfg, true)
	through, p := proxied(t, at)
	dialFleet(t, at)
	killed := dialFleet(t, through)
	count := func() int { return list(t, at)[0].State.Gateways }
	if n := count(); n != 2 {
		t.Fatalf("%d gateways", n)
	}
	p.Stop() // closes the connection, like the end of the process
	<-killed.Lost()
	kit.Eventually(t, "the gateway that has ended is not counted", func() bool { return count() == 1 })
}
