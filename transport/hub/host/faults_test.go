package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// TestOneProcess checks that gateways share a process, that two definitions of one name
// have two, and that a server ends some time after its last gateway.
func TestOneProcess(t *testing.T) {
	r := startHub(t, func(o *host.Options) { o.Linger = 50 * time.Millisecond })
	cfg := config(t, mcpclient.SharedHost)
	other := cfg
	other.Args = []string{"names"}
	limited := cfg
	limited.ExcludeTools, limited.Concurrency = []string{"add"}, 3
	a, b, c := r.client(nil), r.client(nil), r.client(nil)
	first, second, third := r.gateway(a, cfg), r.gateway(b, limited), r.gateway(c, other)
	for _, s := range []*actors.System{first, second, third} {
		ready(t, s)
	}
	one := pid(t, first)
	if two := pid(t, second); two != one {
		t.Errorf("two gateways use the processes %d and %d", one, two)
	}
	if three := pid(t, third); three == one {
		t.Error("two definitions share a process")
	}
	status, err := hub.Query(within(t), r.endpoint())
	if err != nil || len(status.Gateways) != 3 || len(status.Servers) != 2 {
		t.Fatalf("status %+v, %v", status, err)
	}
	names := status.Servers[0].Name + " " + status.Servers[1].Name
	if !strings.HasPrefix(names, "srv srv~") {
		t.Errorf("names %q", names)
	}
	for _, client := range []*hub.Client{a, b, c} {
		client.Close()
	}
	await(t, "the servers have ended", func() bool { return len(r.host.Status().Servers) == 0 })
	await(t, "the process has ended", func() bool { return ended(one) })
}

// TestLostHub checks that a lost hub fails calls in flight at once, and that the gateway
// uses the next hub at the same place.
func TestLostHub(t *testing.T) {
	r := startHub(t, nil)
	s := r.gateway(r.client(nil), config(t, mcpclient.SharedHost))
	ready(t, s)
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(within(t), toolscript.Call{ID: "srv__never"})
		failed <- err
	}()
	await(t, "the call is in the hub", func() bool { g := r.host.Status().Gateways; return len(g) == 1 && g[0].InFlight == 1 })
	if err := r.host.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-failed:
		kindIs(t, err, toolscript.Unavailable, "whether the call was carried out is not known")
		var known *toolscript.Error
		if errors.As(err, &known) && known.RetryAfter <= 0 {
			t.Error("no hint when to try again")
		}
	case <-time.After(bound):
		t.Fatal("the call did not fail")
	}
	awaitState(t, s, toolscript.Backoff)
	startHubAt(t, r.path, nil)
	result, err := s.CallTool(within(t), toolscript.Call{ID: "srv__echo", Args: json.RawMessage(`{"text":"again"}`), Wait: bound})
	if got := text(t, result, err); got != "again" {
		t.Errorf("after the next hub: %q", got)
	}
}

// TestLostNATS checks that the hub reports the loss of its own connection to the NATS
// server, and that calls, lists and dials of gateways that are still connected then fail
// at once, as not sent.
func TestLostNATS(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
	c := r.client(nil)
	conn, err := c.Dial(within(t), "srv", cfg, mcpclient.Events{})
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
	case <-time.After(bound):
		t.Fatal("the loss is not reported")
	}
	ctx := within(t)
	failed := make(chan error, 1)
	conn.Start(mcpclient.ToolCall{Ctx: ctx, Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(_ json.RawMessage, err error) { failed <- err }})
	called := <-failed
	_, listed := conn.ListTools(ctx)
	_, dialled := c.Dial(ctx, "another", cfg, mcpclient.Events{})
	for what, err := range map[string]error{"call": called, "list": listed, "dial": dialled} {
		var known *toolscript.Error
		if !errors.As(err, &known) || known.Kind != toolscript.Unavailable || known.RetryAfter <= 0 || !errors.Is(err, mcpclient.ErrUnreachable) {
			t.Errorf("%s: %v; want that it was not sent, and a hint when to try again", what, err)
		}
	}
}

// TestDialEnds checks that a dial ends with its context while another one waits for the hub.
func TestDialEnds(t *testing.T) {
	finds, found := make(chan struct{}, 1), make(chan struct{})
	c := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) {
		finds <- struct{}{}
		<-found
		return hub.Endpoint{}, errNo
	}})
	cfg := config(t, mcpclient.SharedHost)
	first := make(chan error, 1)
	go func() {
		_, err := c.Dial(within(t), "srv", cfg, mcpclient.Events{})
		first <- err
	}()
	<-finds
	ctx, cancel := context.WithCancel(within(t))
	second := make(chan error, 1)
	go func() {
		_, err := c.Dial(ctx, "srv", cfg, mcpclient.Events{})
		second <- err
	}()
	cancel()
	select {
	case err := <-second:
		kindIs(t, err, toolscript.Cancelled, "")
	case <-time.After(bound):
		t.Error("the dial does not end")
	}
	close(found)
	if err := <-first; !errors.Is(err, errNo) {
		t.Errorf("the first dial: %v", err)
	}
}

// TestRateLimit checks that the rate limit of a gateway is not that of the others.
func TestRateLimit(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
	limited := cfg
	limited.RateLimit = mcpclient.RateLimit{Calls: 1, Per: time.Hour, Burst: 1}
	first := r.gateway(r.client(nil), limited)
	ready(t, first)
	second := r.gateway(r.client(nil), cfg)
	ready(t, second)
	if pid(t, first) != pid(t, second) {
		t.Error("two gateways have two servers")
	}
	pid(t, second) // the limit of the first gateway would have it wait for an hour
	if limit := r.host.Status().Servers[0].Status.RateLimit; limit != nil {
		t.Errorf("the server in the hub has the rate limit %+v", limit)
	}
	ctx, cancel := context.WithTimeout(within(t), 10*time.Second)
	defer cancel()
	_, err := first.CallTool(ctx, toolscript.Call{ID: "srv__args", Args: json.RawMessage(`{}`)})
	if err == nil || !strings.Contains(err.Error(), "rate limit") {
		t.Errorf("a second call of the first gateway: %v", err)
	}
}

// TestTooLarge checks the error of requests that are larger than a message of NATS.
func TestTooLarge(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
	c := r.client(nil)
	large := cfg
	large.Args = []string{strings.Repeat("x", 2<<20)}
	_, err := c.Dial(within(t), "large", large, mcpclient.Events{})
	kindIs(t, err, toolscript.TooLarge, "too large for the hub")
	conn, err := c.Dial(within(t), "srv", cfg, mcpclient.Events{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Fetch(within(t), toolscript.FetchRequest{ID: "read_resource", URI: strings.Repeat("x", 2<<20)}, nil)
	kindIs(t, err, toolscript.TooLarge, "too large for the hub")
	if errors.Is(err, mcpclient.ErrUnreachable) {
		t.Error("the server counts as unreachable")
	}
	if err := conn.Ping(within(t)); err != nil {
		t.Errorf("the connection has ended: %v", err)
	}
}

// TestKilledGateway checks that the calls of a gateway whose connection ends are cancelled
// at the server, and that the hub knows nothing of it afterwards.
func TestKilledGateway(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
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
	conn, err := killed.Dial(within(t), "srv", cfg, mcpclient.Events{})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	conn.Start(mcpclient.ToolCall{Ctx: t.Context(), Tool: "never", Done: func(_ json.RawMessage, err error) { failed <- err }})
	other := r.gateway(r.client(nil), cfg)
	ready(t, other)
	await(t, "the call is in flight", func() bool {
		s := r.host.Status().Servers
		return len(s) == 1 && s[0].Status.InFlight == 1
	})
	mu.Lock()
	_ = socket.Close() // as the end of its process does
	mu.Unlock()
	<-failed
	await(t, "the server has seen the cancellation", func() bool {
		result, err := call(t, other, "cancelled", `{}`)
		return err == nil && strings.Contains(string(result), `"seen":1`)
	})
	await(t, "the gateway is gone", func() bool {
		status := r.host.Status()
		return len(status.Gateways) == 1 && status.Servers[0].Gateways == 1 && status.Servers[0].Status.InFlight == 0
	})
}

// TestNewcomers checks who may connect.
func TestNewcomers(t *testing.T) {
	r := startHub(t, nil)
	if hello, err := hub.Greet(within(t), r.endpoint()); err != nil || hello.Version != "test" || hello.Protocol != hub.Protocol || hello.PID != os.Getpid() {
		t.Errorf("hello %+v, %v", hello, err)
	}
	wrong := r.endpoint()
	wrong.Token = "another"
	if _, err := hub.Query(within(t), wrong); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("a query with a wrong token: %v", err)
	}
	c := hub.NewClient(hub.ClientOptions{Find: func(context.Context) (hub.Endpoint, error) { return wrong, nil }})
	if _, err := c.Dial(within(t), "srv", config(t, mcpclient.SharedHost), mcpclient.Events{}); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("a gateway with a wrong token: %v", err)
	}
}

// raw connects to the NATS server of the hub as a gateway that does not keep to the rules.
func raw(t *testing.T, r *hubRig, id string, errs chan<- error) *nats.Conn {
	t.Helper()
	conn, err := r.endpoint().Dial(within(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(conn)
	var hello wire.Hello
	var welcome wire.Welcome
	read := func(into any) {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read(&hello)
	greeting, _ := json.Marshal(wire.Greeting{Protocol: hello.Protocol, ID: id, Token: token})
	if _, err := conn.Write(append(greeting, '\n')); err != nil {
		t.Fatal(err)
	}
	read(&welcome)
	if welcome.Error != "" {
		t.Fatal(welcome.Error)
	}
	nc, err := nats.Connect("nats://hub", nats.UserInfo(id, welcome.Password), nats.SetCustomDialer(existing{&buffered{conn, lines}}), nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { errs <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// buffered is a connection of which a part was read.
type buffered struct {
	net.Conn
	lines *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.lines.Read(p) }

type existing struct{ conn net.Conn }

func (e existing) Dial(string, string) (net.Conn, error) { return e.conn, nil }

// TestPermissions checks what the NATS server allows to a gateway.
func TestPermissions(t *testing.T) {
	r := startHub(t, nil)
	id, other := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	errs := make(chan error, 10)
	nc := raw(t, r, id, errs)
	for _, subject := range []string{"gateway." + other + ".>", "gateway.*.>", ">", "hub.>", wire.HubSubject(wire.Offer, "*"), wire.ServerSubject("*", "*"), "$SRV.PING"} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush()
		if err := <-errs; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("subscription to %s: %v", subject, err)
		}
	}
	for _, subject := range []string{"gateway." + other + ".1.done", "gateway." + id + ".1.done", wire.HubSubject(wire.Offer, other), wire.ServerSubject(strings.Repeat("0", 32), other), "$SRV.PING"} {
		if err := nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush()
		if err := <-errs; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("message to %s: %v", subject, err)
		}
	}
	for _, subject := range []string{"gateway." + id + ".>", wire.CatalogSubject("*")} {
		if _, err := nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
	}
	_ = nc.Flush()
	select {
	case err := <-errs:
		t.Errorf("own subjects: %v", err)
	default:
	}
	// A server that the gateway has not offered is not its own, and the reply subject must be.
	answers, err := nc.SubscribeSync("gateway." + id + ".>")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config(t, mcpclient.SharedHost)
	s := r.gateway(r.client(nil), cfg)
	ready(t, s)
	key := r.host.Status().Servers[0].Key
	head := nats.Header{wire.CallHeader: {wire.Call{Tool: "echo"}.Encode()}}
	for _, reply := range []string{"gateway." + other + ".1", "gateway." + id + ".7"} {
		if err := nc.PublishMsg(&nats.Msg{Subject: wire.ServerSubject(key, id), Reply: reply, Header: head}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := answers.NextMsg(bound)
	if err != nil || m.Subject != "gateway."+id+".7.failed" || !strings.Contains(string(m.Data), "not_found") {
		t.Errorf("a call of a server that was not offered: %+v, %v", m, err)
	}
}

// TestSecrets checks that nothing of a definition but its name is visible to the tools of
// NATS, which list the servers and cannot call them.
func TestSecrets(t *testing.T) {
	r := startHub(t, func(o *host.Options) { o.Port, o.Password = -1, "pass" })
	cfg := config(t, mcpclient.SharedHost)
	cfg.Env["API_KEY"] = "hunter2hunter2"
	s := r.gateway(r.client(nil), cfg)
	ready(t, s)
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: r.host.Port()}).String()
	for _, user := range []string{"hub", strings.Repeat("ab", 16), "operator", ""} {
		if nc, err := nats.Connect("nats://"+address, nats.UserInfo(user, "wrong"), nats.NoReconnect()); err == nil {
			nc.Close()
			t.Errorf("user %q with a wrong password is admitted", user)
		}
	}
	errs := make(chan error, 10)
	nc, err := nats.Connect("nats://"+address, nats.UserInfo("operator", "pass"), nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { errs <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		m, err := nc.Request("$SRV."+verb+".srv", nil, bound)
		if err != nil || !strings.Contains(string(m.Data), `"server":"srv"`) || strings.Contains(string(m.Data), "hunter2") {
			t.Errorf("%s: %v, %v", verb, m, err)
		}
	}
	key := r.host.Status().Servers[0].Key
	for _, subject := range []string{wire.ServerSubject(key, wire.Operator), wire.ServerSubject(key, strings.Repeat("ab", 16)), wire.HubSubject(wire.Offer, wire.Operator)} {
		if err := nc.PublishRequest(subject, nats.NewInbox(), []byte(`{"name":"echo","arguments":{"text":"by hand"}}`)); err != nil {
			t.Fatal(err)
		}
		_ = nc.Flush()
		if err := <-errs; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("a message by hand to %s: %v", subject, err)
		}
	}
	if calls := r.host.Status().Servers[0].Calls; calls != 0 {
		t.Errorf("%d calls by hand", calls)
	}
}

// TestFairness checks that a gateway with many waiting calls delays another by few.
func TestFairness(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
	hubbed := func() *hub.Conn {
		cfg := cfg
		cfg.Concurrency = 1
		conn, err := r.client(nil).Dial(within(t), "srv", cfg, mcpclient.Events{})
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	busy, quiet := hubbed(), hubbed()
	var mu sync.Mutex
	done := 0
	count := func(_ json.RawMessage, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		done++
	}
	const many = 40
	for range many {
		busy.Start(mcpclient.ToolCall{Ctx: t.Context(), Tool: "sleep", Args: json.RawMessage(`{"ms":20}`), Run: "run", Done: count})
	}
	await(t, "the calls are in the hub", func() bool {
		for _, g := range r.host.Status().Gateways {
			if g.InFlight > 1 {
				return true
			}
		}
		return false
	})
	answered := make(chan int, 1)
	quiet.Start(mcpclient.ToolCall{Ctx: t.Context(), Tool: "sleep", Args: json.RawMessage(`{"ms":1}`), Run: "run", Done: func(json.RawMessage, error) {
		mu.Lock()
		defer mu.Unlock()
		answered <- done
	}})
	if before := <-answered; before > many/2 {
		t.Errorf("%d calls of the other gateway came before", before)
	}
	await(t, "all calls", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return done == many
	})
}

// TestBusy checks the bounds of one server for all gateways together.
func TestBusy(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
	cfg.Concurrency = 1
	conn, err := r.client(nil).Dial(within(t), "srv", cfg, mcpclient.Events{})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 2000)
	var started []mcpclient.Started
	for range 1024 + 1 + 5 {
		started = append(started, conn.Start(mcpclient.ToolCall{Ctx: t.Context(), Tool: "never", Done: func(_ json.RawMessage, err error) { failed <- err }}))
	}
	for range 5 {
		kindIs(t, <-failed, toolscript.Busy, "1024 wait")
	}
	for _, s := range started {
		s.Cancel("over", &toolscript.Error{Kind: toolscript.Cancelled, Err: errNo})
	}
	await(t, "no call is left", func() bool {
		status := r.host.Status()
		return status.Gateways[0].InFlight == 0 && status.Servers[0].Status.InFlight == 0
	})
}

// TestTrust checks that a definition can be refused.
func TestTrust(t *testing.T) {
	refused := "refused"
	r := startHub(t, func(o *host.Options) {
		o.Trusted = func(d wire.Definition) error {
			if d.Name == refused {
				return &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("not trusted; run: toolscript trust")}
			}
			return nil
		}
	})
	cfg := config(t, mcpclient.SharedHost)
	c := r.client(nil)
	_, err := c.Dial(within(t), refused, cfg, mcpclient.Events{})
	kindIs(t, err, toolscript.Invalid, "not trusted; run: toolscript trust")
}

// TestRestart checks that a restart by one gateway gives all gateways a new process.
func TestRestart(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, mcpclient.SharedHost)
	first, second := r.gateway(r.client(nil), cfg), r.gateway(r.client(nil), cfg)
	ready(t, first)
	ready(t, second)
	before := pid(t, first)
	status, err := first.RestartServer(within(t), "srv")
	if err != nil || status.State != toolscript.Ready {
		t.Fatalf("state %s, %v", status.State, err)
	}
	after := pid(t, first)
	if after == before || !ended(before) {
		t.Errorf("process %d before the restart and %d after it", before, after)
	}
	result, err := second.CallTool(within(t), toolscript.Call{ID: "srv__args", Args: json.RawMessage(`{}`), Wait: bound})
	if !strings.Contains(text(t, result, err), `"pid":`+itoa(after)) {
		t.Errorf("the other gateway does not use process %d: %s", after, result)
	}
	if n := len(r.host.Status().Servers); n != 1 {
		t.Errorf("%d servers", n)
	}
}

// TestRetireUnused checks that only servers without gateways end.
func TestRetireUnused(t *testing.T) {
	r := startHub(t, nil)
	conn, err := r.client(nil).Dial(within(t), "srv", config(t, mcpclient.SharedHost), mcpclient.Events{})
	if err != nil {
		t.Fatal(err)
	}
	r.host.RetireUnused()
	if err := conn.Ping(within(t)); err != nil || conn.Err() != nil {
		t.Errorf("a server in use has ended: %v, %v", err, conn.Err())
	}
	_ = conn.Close()
	await(t, "the server is not in use", func() bool { return r.host.Status().Servers[0].Gateways == 0 })
	r.host.RetireUnused()
	if n := len(r.host.Status().Servers); n != 0 {
		t.Errorf("%d servers are left", n)
	}
}

// TestLog checks that log messages of a server reach its gateways.
func TestLog(t *testing.T) {
	r := startHub(t, nil)
	lines := make(chan string, 100)
	conn, err := r.client(nil).Dial(within(t), "srv", config(t, mcpclient.SharedHost), mcpclient.Events{Log: func(level slog.Level, text string) {
		if level == slog.LevelWarn {
			lines <- text
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	conn.Start(mcpclient.ToolCall{Ctx: t.Context(), Tool: "log", Args: json.RawMessage(`{"level":"warning","text":"disk almost full"}`), Done: func(json.RawMessage, error) {}})
	select {
	case line := <-lines:
		if !strings.Contains(line, "disk almost full") {
			t.Errorf("log %q", line)
		}
	case <-time.After(bound):
		t.Error("no log message")
	}
}

// TestProject checks that gateways of two folders do not share a server of a project.
func TestProject(t *testing.T) {
	cfg := mcpclient.Config{Type: mcpclient.Stdio, Command: "x", Shared: mcpclient.SharedProject}
	host := []string{"PATH=/bin", "TERM=xterm"}
	a, b := wire.Define("a", cfg, "/a", host), wire.Define("a", cfg, "/b", host)
	if a.Key() == b.Key() {
		t.Error("two projects share a server")
	}
	cfg.Shared = mcpclient.SharedHost
	a, b = wire.Define("a", cfg, "/a", host), wire.Define("b", cfg, "/b", []string{"PATH=/bin", "TERM=screen"})
	if a.Key() != b.Key() {
		t.Error("one definition in two projects and terminals has two servers")
	}
	if c := wire.Define("a", cfg, "/a", []string{"PATH=/usr/bin"}); c.Key() == a.Key() {
		t.Error("two environments have one server")
	}
}
