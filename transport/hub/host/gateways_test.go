package host_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// TestOneProcess checks that gateways share a process, that two definitions of one name
// have two, and that a server ends some time after its last gateway.
func TestOneProcess(t *testing.T) {
	r := startHub(t, func(o *host.Options) { o.Idle = 50 * time.Millisecond })
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

// TestEndUnused checks that only servers without gateways end.
func TestEndUnused(t *testing.T) {
	r := startHub(t, nil)
	conn, err := r.client(nil).Dial(within(t), "srv", config(t, mcpclient.SharedHost), mcpclient.Events{})
	if err != nil {
		t.Fatal(err)
	}
	r.host.EndUnused()
	if err := conn.Ping(within(t)); err != nil || conn.Err() != nil {
		t.Errorf("a server in use has ended: %v, %v", err, conn.Err())
	}
	_ = conn.Close()
	await(t, "the server is not in use", func() bool { return r.host.Status().Servers[0].Gateways == 0 })
	r.host.EndUnused()
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
