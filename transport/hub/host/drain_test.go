package host_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// heldServers passes the calls of servers to the test, which answers them.
type heldServers struct {
	host.Servers
	begun chan wire.ServerCall
}

func (h heldServers) CallServer(_ string, c wire.ServerCall) func(error) {
	h.begun <- c
	return func(error) {}
}

func answerWith(text string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text))
}

// joinHeld starts a hub whose calls the test answers. The channel of calls has room for pending calls.
func joinHeld(t *testing.T, at cluster.Address, name string, cfg upstream.Config, stateless bool, pending int) (*host.Fleet, chan wire.ServerCall) {
	t.Helper()
	begun := make(chan wire.ServerCall, pending)
	h, err := joinWith(t, at, name, begun, host.Offer{Name: "srv", Config: cfg, Stateless: stateless})
	if err != nil {
		t.Fatal(err)
	}
	return h.Fleet, begun
}

// closing closes a hub in another goroutine, and returns a channel that is closed when it has ended.
func closing(f *host.Fleet) <-chan struct{} {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		f.Close()
	}()
	return closed
}

// outcome is the result of a call.
type outcome struct {
	result json.RawMessage
	err    error
}

// begin makes a call through a gateway in another goroutine.
func begin(t *testing.T, s *actors.System) <-chan outcome {
	t.Helper()
	ctx, over := kit.Within(t), make(chan outcome, 1)
	go func() {
		result, err := s.CallTool(ctx, toolscript.Call{ID: "srv__echo", Args: json.RawMessage(`{"text":"x"}`)})
		over <- outcome{result, err}
	}()
	return over
}

// TestFleetDrains: a hub that shuts down answers its calls in flight, even as the owner of a server or
// the only hub that offers one. Gateways learn at once that it accepts no more calls.
func TestFleetDrains(t *testing.T) {
	t.Parallel()
	for _, stateless := range []bool{true, false} {
		t.Run(fmt.Sprintf("stateless %t", stateless), func(t *testing.T) {
			t.Parallel()
			at, cfg := startNATS(t), config(t, "")
			first, begun := joinHeld(t, at, "one", cfg, stateless, 1)
			s := fleetGateway(t, at, cfg)
			ready(t, s)
			over := begin(t, s)
			c := kit.Receive(t, begun)
			closed := closing(first)
			awaitState(t, s, toolscript.Backoff)
			if !stateless {
				joined := make(chan struct{})
				go func() {
					defer close(joined)
					mustJoin(t, at, "two", cfg, false)
				}()
				<-joined
				if owner, _ := leases(t, at); owner != nil && owner.Host == "two" {
					t.Error("another hub owns the server while calls of the first one are in flight")
				}
			}
			c.Done(answerWith("late"), nil)
			o := kit.Receive(t, over)
			if got := text(t, o.result, o.err); got != "late" {
				t.Errorf("the call in flight was answered with %q", got)
			}
			kit.Receive(t, closed)
			if !stateless {
				if _, err := processOf(s); err != nil {
					t.Errorf("a call of the next owner: %v", err)
				}
			}
		})
	}
}

// TestFleetSwallowsNoCall: calls that have reached a hub before it leaves the fleet are executed.
func TestFleetSwallowsNoCall(t *testing.T) {
	const calls = 20
	at, cfg := startNATS(t), config(t, "")
	first, begun := joinHeld(t, at, "one", cfg, true, 0)
	c := dialFleet(t, at)
	over := make(chan outcome, calls)
	for range calls {
		c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(result json.RawMessage, err error) { over <- outcome{result, err} }})
	}
	if err := c.Ping(kit.Within(t)); err != nil { // the hub has received the calls and handles the first one
		t.Fatal(err)
	}
	closed := closing(first)
	kit.Receive(t, c.Lost())
	for range calls {
		kit.Receive(t, begun).Done(answerWith("done"), nil)
	}
	for range calls {
		if o := kit.Receive(t, over); o.err != nil {
			t.Errorf("a call that the hub has received: %v", o.err)
		}
	}
	kit.Receive(t, closed)
}

// TestHubDrains: the hub of a host answers its calls in flight before it ends, and accepts no more calls.
func TestHubDrains(t *testing.T) {
	begun := make(chan wire.ServerCall, 1)
	r := startHub(t, func(o *host.Options) { o.Servers = heldServers{o.Servers, begun} })
	s := r.gateway(r.client(nil), config(t, upstream.SharedHost))
	ready(t, s)
	over := begin(t, s)
	c := kit.Receive(t, begun)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		r.host.Drain()
	}()
	awaitState(t, s, toolscript.Backoff)
	_, err := r.client(nil).Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{})
	kindIs(t, err, toolscript.Unavailable, "the hub is ending")
	_, err = servedCall(t, s, "echo", `{"text":"new"}`)
	kindIs(t, err, toolscript.Unavailable, "the hub is ending")
	select {
	case <-drained:
		t.Error("the hub has not waited for its call")
	default:
	}
	c.Done(answerWith("late"), nil)
	o := kit.Receive(t, over)
	if got := text(t, o.result, o.err); got != "late" {
		t.Errorf("the call in flight was answered with %q", got)
	}
	kit.Receive(t, drained)
}

// TestHubRefuses: a call that reaches the hub of a host during its shutdown counts as not sent.
func TestHubRefuses(t *testing.T) {
	begun := make(chan wire.ServerCall, 1)
	r := startHub(t, func(o *host.Options) { o.Servers = heldServers{o.Servers, begun} })
	c, err := r.client(nil).Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	r.host.Drain()
	over := make(chan error, 1)
	c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(_ json.RawMessage, err error) { over <- err }})
	if err := kit.Receive(t, over); !errors.Is(err, upstream.ErrUnreachable) {
		t.Errorf("a call of a hub that ends: %v", err)
	}
	if len(begun) > 0 {
		t.Error("the hub has begun the call")
	}
}
