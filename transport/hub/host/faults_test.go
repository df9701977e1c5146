package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestLostHub checks that the loss of a hub fails calls in flight at once, and that the gateway
// uses the next hub at the same address.
func TestLostHub(t *testing.T) {
	r := startHub(t, nil)
	s := r.gateway(r.client(nil), config(t, upstream.SharedHost))
	ready(t, s)
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__never"})
		failed <- err
	}()
	kit.Eventually(t, "the call is in the hub", func() bool { g := r.host.Status().Gateways; return len(g) == 1 && g[0].InFlight == 1 })
	if err := r.host.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-failed:
		kindIs(t, err, toolscript.Unavailable, "whether the call was carried out is not known")
		var known *toolscript.Error
		if errors.As(err, &known) && (known.Sent != toolscript.SentUnknown || known.RetryAfter <= 0) { // retryable: the tool only reads
			t.Errorf("sent %q, retry after %s", known.Sent, known.RetryAfter)
		}
	case <-time.After(kit.Patience):
		t.Fatal("the call did not fail")
	}
	awaitState(t, s, toolscript.Backoff)
	startHubAt(t, r.path, nil)
	result, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__echo", Args: json.RawMessage(`{"text":"again"}`), Wait: kit.Patience})
	if got := text(t, result, err); got != "again" {
		t.Errorf("after the next hub: %q", got)
	}
}

// TestLostNATS checks that the hub reports the loss of its own connection to the NATS server, and
// that calls, lists and dials of gateways that are still connected then fail at once, as not sent.
func TestLostNATS(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	c := r.client(nil)
	conn, err := c.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.host.Lost():
		t.Error("the hub is lost before its connection has ended")
	default:
	}
	if err := r.host.LoseNATS(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.host.Lost():
	case <-time.After(kit.Patience):
		t.Fatal("the loss is not reported")
	}
	ctx := kit.Within(t)
	failed := make(chan error, 1)
	conn.Start(upstream.ToolCall{Ctx: ctx, Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(_ json.RawMessage, err error) { failed <- err }})
	called := <-failed
	_, listed := conn.ListTools(ctx)
	_, dialled := c.Dial(ctx, "another", cfg, upstream.Events{})
	for what, err := range map[string]error{"call": called, "list": listed, "dial": dialled} {
		var known *toolscript.Error
		if !errors.As(err, &known) || known.Kind != toolscript.Unavailable || known.RetryAfter <= 0 || !errors.Is(err, upstream.ErrUnreachable) {
			t.Errorf("%s: %v; want that it was not sent, and a hint when to try again", what, err)
		}
	}
}

// TestDialEnds checks that a dial ends with its context, even while another dial waits for the hub.
func TestDialEnds(t *testing.T) {
	finds, found := make(chan struct{}, 1), make(chan struct{})
	c := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) {
		finds <- struct{}{}
		<-found
		return hub.Endpoint{}, errNo
	}})
	cfg := config(t, upstream.SharedHost)
	first := make(chan error, 1)
	go func() {
		_, err := c.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
		first <- err
	}()
	<-finds
	ctx, cancel := context.WithCancel(kit.Within(t))
	second := make(chan error, 1)
	go func() {
		_, err := c.Dial(ctx, "srv", cfg, upstream.Events{})
		second <- err
	}()
	cancel()
	select {
	case err := <-second:
		kindIs(t, err, toolscript.Cancelled, "")
	case <-time.After(kit.Patience):
		t.Error("the dial does not end")
	}
	close(found)
	if err := <-first; !errors.Is(err, errNo) {
		t.Errorf("the first dial: %v", err)
	}
}

// TestTooLarge checks the errors of requests that are larger than a NATS message may be.
func TestTooLarge(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	c := r.client(nil)
	large := cfg
	large.Args = []string{strings.Repeat("x", 2<<20)}
	_, err := c.Dial(kit.Within(t), "large", large, upstream.Events{})
	kindIs(t, err, toolscript.TooLarge, "too large for the hub")
	conn, err := c.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Fetch(kit.Within(t), toolscript.FetchRequest{ID: "read_resource", URI: strings.Repeat("x", 2<<20)}, nil)
	kindIs(t, err, toolscript.TooLarge, "too large for the hub")
	if errors.Is(err, upstream.ErrUnreachable) {
		t.Error("the server counts as unreachable")
	}
	if err := conn.Ping(kit.Within(t)); err != nil {
		t.Errorf("the connection has ended: %v", err)
	}
}

// TestKilledGateway checks that the calls of a gateway are cancelled at the server when its
// connection ends, and that the hub keeps no data about the gateway.
func TestKilledGateway(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	var mu sync.Mutex
	var socket net.Conn
	killed := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) {
		return hub.Endpoint{Token: token, Dial: func(ctx context.Context) (net.Conn, error) {
			conn, err := r.endpoint().Dial(ctx)
			mu.Lock()
			defer mu.Unlock()
			socket = conn
			return conn, err
		}}, nil
	}})
	t.Cleanup(killed.Close)
	conn, err := killed.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	conn.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "never", Done: func(_ json.RawMessage, err error) { failed <- err }})
	other := r.gateway(r.client(nil), cfg)
	ready(t, other)
	kit.Eventually(t, "the call is in flight", func() bool {
		s := r.host.Status().Servers
		return len(s) == 1 && s[0].Status.InFlight == 1
	})
	mu.Lock()
	_ = socket.Close() // like the end of its process
	mu.Unlock()
	<-failed
	kit.Eventually(t, "the server has seen the cancellation", func() bool {
		result, err := servedCall(t, other, "cancelled", `{}`)
		return err == nil && strings.Contains(string(result), `"seen":1`)
	})
	kit.Eventually(t, "the gateway is gone", func() bool {
		status := r.host.Status()
		return len(status.Gateways) == 1 && status.Servers[0].Gateways == 1 && status.Servers[0].Status.InFlight == 0
	})
}
