package host_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// valve passes bytes between connections, or holds them back while it is closed, like the socket
// of a stopped process.
type valve struct {
	back bool // holds the bytes from inside, not those to inside

	mu   sync.Mutex
	open chan struct{} // a closed channel while bytes pass
}

func newValve() *valve {
	v := &valve{open: make(chan struct{})}
	close(v.open)
	return v
}

func (v *valve) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = make(chan struct{})
}

func (v *valve) reopen() {
	v.mu.Lock()
	defer v.mu.Unlock()
	close(v.open)
}

// copy passes bytes on until reading or writing fails.
func (v *valve) copy(ctx context.Context, to io.Writer, from io.Reader) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		v.mu.Lock()
		open := v.open
		v.mu.Unlock()
		select {
		case <-open:
		case <-ctx.Done():
			return
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// between connects two connections. The bytes to inside pass the valve; if back is set, those from inside do.
func (v *valve) between(ctx context.Context, outside, inside net.Conn) {
	to, from := inside, outside
	if v.back {
		to, from = outside, inside
	}
	end := sync.OnceFunc(func() {
		_ = outside.Close()
		_ = inside.Close()
	})
	go func() {
		defer end()
		v.copy(ctx, to, from)
	}()
	go func() {
		defer end()
		_, _ = io.Copy(from, to) // until one of the connections ends
	}()
}

// listen accepts connections at an address, and connects each to a new connection of inside.
func (v *valve) listen(t *testing.T, network, address string, inside func(context.Context) (net.Conn, error)) net.Addr {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	ctx := t.Context()
	go func() {
		for {
			outside, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := inside(ctx)
			if err != nil {
				_ = outside.Close()
				continue
			}
			v.between(ctx, outside, to)
		}
	}()
	return listener.Addr()
}

// stoppable returns the address of a NATS server for a hub that can be stopped: while the valve
// is closed, nothing reaches it.
func stoppable(t *testing.T, at cluster.Address) (cluster.Address, *valve) {
	t.Helper()
	v := newValve()
	v.back = true
	address := v.listen(t, "tcp", "127.0.0.1:0", func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(at.URL, "nats://"))
	})
	return cluster.Address{URL: "nats://" + address.String()}, v
}

// stoppable returns a client of a hub that can be stopped: while the valve is closed, nothing reaches it.
func (r *hubRig) stoppable() (*hub.Client, *valve) {
	r.t.Helper()
	v := newValve()
	address := v.listen(r.t, "unix", r.path+"v", r.endpoint().Dial)
	c := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) {
		return hub.Endpoint{Token: token, Dial: func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", address.String())
		}}, nil
	}})
	r.t.Cleanup(c.Close)
	return c, v
}

// conn is a gateway's connection to a server.
type conn interface {
	Start(c upstream.ToolCall) upstream.Started
	Ping(ctx context.Context) error
}

// startCall starts a call of the tool echo.
func startCall(t *testing.T, c conn, text string) (upstream.Started, <-chan outcome) {
	t.Helper()
	over := make(chan outcome, 1)
	args, _ := json.Marshal(map[string]string{"text": text}) // a map of strings always has a JSON form
	started := c.Start(upstream.ToolCall{Ctx: kit.Within(t), Tool: "echo", Args: args, Done: func(result json.RawMessage, err error) { over <- outcome{result, err} }})
	return started, over
}

// carriedOut makes a call that succeeds, and fails the test if another call begins.
func carriedOut(t *testing.T, c conn, begun <-chan wire.ServerCall, name string) {
	t.Helper()
	_, over := startCall(t, c, name)
	b := kit.Receive(t, begun)
	if !strings.Contains(string(b.Args), name) {
		t.Errorf("the call of %s was carried out instead of %s", b.Args, name)
	}
	b.Done(answerWith(name), nil)
	if o := kit.Receive(t, over); o.err != nil {
		t.Errorf("the call %s: %v", name, o.err)
	}
	if err := c.Ping(kit.Within(t)); err != nil {
		t.Error(err)
	}
	if len(begun) > 0 {
		t.Errorf("another call was carried out: %s", (<-begun).Args)
	}
}

// TestFleetExpired: a hub that was stopped does not execute calls whose callers already have an
// error. The hub had not acknowledged the call, so no cancellation could reach it.
func TestFleetExpired(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	slow, v := stoppable(t, at)
	_, begun := joinHeld(t, slow, "one", cfg, true, 10)
	c := dialFleet(t, at)
	carriedOut(t, c, begun, "first")
	v.close()
	_, over := startCall(t, c, "expired")
	if o := kit.Receive(t, over); toolscript.KindOf(o.err) != toolscript.Unavailable {
		t.Errorf("a call of a stopped hub: %v", o.err)
	}
	v.reopen()
	carriedOut(t, c, begun, "second")
}

// TestFleetLate: a hub that was stopped executes calls whose callers still wait.
func TestFleetLate(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	slow, v := stoppable(t, at)
	_, begun := joinHeld(t, slow, "one", cfg, true, 10)
	c := dialFleet(t, at)
	carriedOut(t, c, begun, "first")
	v.close()
	sent := cluster.Uptime()
	_, over := startCall(t, c, "late")
	kit.Eventually(t, "the call is old", func() bool { return cluster.Uptime()-sent > host.Young+time.Second/4 })
	v.reopen()
	kit.Receive(t, begun).Done(answerWith("late"), nil)
	if o := kit.Receive(t, over); o.err != nil {
		t.Errorf("a call that its hub received late: %v", o.err)
	}
}

// TestHubCancelled: the hub of a host does not execute a call if its cancellation is the next message.
func TestHubCancelled(t *testing.T) {
	t.Parallel()
	begun := make(chan wire.ServerCall, 10)
	r := startHub(t, func(o *host.Options) { o.Servers = heldServers{o.Servers, begun} })
	client, v := r.stoppable()
	c, err := client.Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	carriedOut(t, c, begun, "first")
	v.close()
	sent := cluster.Uptime()
	started, over := startCall(t, c, "cancelled")
	started.Cancel("cancelled", &toolscript.Error{Kind: toolscript.Cancelled})
	kit.Receive(t, over)
	kit.Eventually(t, "the call is old", func() bool { return cluster.Uptime()-sent > host.Young+time.Second/4 })
	v.reopen()
	carriedOut(t, c, begun, "second")
}

// TestPausedHub: a call that waited in the hub while its process was stopped is not passed to the
// server. A call that came afterwards is.
func TestPausedHub(t *testing.T) {
	at, cfg := startNATS(t), config(t, "")
	f, begun := joinHeld(t, at, "one", cfg, true, 10)
	c := dialFleet(t, at)
	_, over := startCall(t, c, "waits")
	b := kit.Receive(t, begun)
	if err := b.Check(); err != nil {
		t.Errorf("before the pause: %v", err)
	}
	f.Pause(host.PauseLimit + time.Second)
	err := b.Check()
	if b.Done(nil, err); err == nil {
		t.Error("the call may begin after the pause")
	}
	kindIs(t, kit.Receive(t, over).err, toolscript.Unavailable, "the call was not carried out")
	_, over = startCall(t, c, "later")
	b = kit.Receive(t, begun)
	err = b.Check()
	b.Done(answerWith("later"), err)
	if o := kit.Receive(t, over); o.err != nil {
		t.Errorf("after the pause: %v", o.err)
	}
}
