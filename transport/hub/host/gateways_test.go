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
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestIdleServer checks that a server and its process end some time after the last gateway.
func TestIdleServer(t *testing.T) {
	r := startHub(t, func(o *host.Options) { o.Idle = 50 * time.Millisecond })
	client := r.client(nil)
	s := r.gateway(client, config(t, upstream.SharedHost))
	ready(t, s)
	one := pid(t, s)
	client.Close()
	kit.Eventually(t, "the server has ended", func() bool { return len(r.host.Status().Servers) == 0 })
	kit.Eventually(t, "the process has ended", func() bool { return ended(one) })
}

// TestSharedServerRests checks that the process of a shared server ends while no gateway calls it,
// unless a gateway wants it to run, and that the gateways stay connected.
func TestSharedServerRests(t *testing.T) {
	t.Parallel()
	r := startHub(t, nil)
	idle := config(t, upstream.SharedHost)
	idle.Idle = 300 * time.Millisecond
	state := func() toolscript.ServerState { return r.host.Status().Servers[0].Status.State }
	first := r.gateway(r.client(nil), idle)
	ready(t, first)
	for range 2 {
		one := pid(t, first)
		kit.Eventually(t, "the server rests", func() bool { return state() == toolscript.Resting })
		kit.Eventually(t, "the process has ended", func() bool { return ended(one) })
		if v, _ := first.ViewServer("srv"); v.Status.State != toolscript.Ready || v.Status.Restarts > 0 || len(v.Tools) == 0 {
			t.Errorf("a gateway has the server as %+v with %d tools", v.Status, len(v.Tools))
		}
	}
	awake := idle
	awake.Idle = 0
	client := r.client(nil)
	second := r.gateway(client, awake)
	ready(t, second)
	kit.Eventually(t, "the server runs", func() bool { return state() == toolscript.Ready })
	one := pid(t, second)
	client.Close()
	kit.Eventually(t, "the server rests again", func() bool { return state() == toolscript.Resting })
	if pid(t, first) == one {
		t.Error("the process has not ended")
	}
}

// TestLikeKeys checks that servers with the same name, whose keys begin with the same digits, have
// separate actors and displayed names.
func TestLikeKeys(t *testing.T) {
	r := startHub(t, nil)
	d := wire.Definition{Name: "srv", Config: upstream.Config{Type: upstream.Stdio}}
	begin := strings.Repeat("a", host.KeyShown)
	var names, shown []string
	for _, key := range []string{begin + strings.Repeat("0", 24), begin + strings.Repeat("1", 24), begin + strings.Repeat("2", 24)} {
		name, show, err := r.host.NewShared(key, d)
		if err != nil {
			t.Fatal(err)
		}
		names, shown = append(names, name), append(shown, show)
	}
	if names[0] == names[1] || names[1] == names[2] || names[0] == names[2] {
		t.Errorf("names of actors %q", names)
	}
	if want := []string{"srv", "srv~" + begin, names[2]}; strings.Join(shown, " ") != strings.Join(want, " ") {
		t.Errorf("shown names %q, want %q", shown, want)
	}
}

// TestRateLimit checks that the rate limit of one gateway does not apply to others.
func TestRateLimit(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	limited := cfg
	limited.RateLimit = upstream.RateLimit{Calls: 1, Per: time.Hour, Burst: 1}
	first := r.gateway(r.client(nil), limited)
	ready(t, first)
	second := r.gateway(r.client(nil), cfg)
	ready(t, second)
	if pid(t, first) != pid(t, second) {
		t.Error("two gateways have two servers")
	}
	pid(t, second) // with the limit of the first gateway, this call would wait for an hour
	if limit := r.host.Status().Servers[0].Status.RateLimit; limit != nil {
		t.Errorf("the server in the hub has the rate limit %+v", limit)
	}
	ctx, cancel := context.WithTimeout(kit.Within(t), 10*time.Second)
	defer cancel()
	_, err := first.CallTool(ctx, toolscript.Call{ID: "srv__args", Args: json.RawMessage(`{}`)})
	if err == nil || !strings.Contains(err.Error(), "rate limit") {
		t.Errorf("a second call of the first gateway: %v", err)
	}
}

// TestFairness checks that a gateway with many waiting calls hardly delays another gateway.
func TestFairness(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	hubbed := func() *hub.Conn {
		cfg := cfg
		cfg.Concurrency = 1
		conn, err := r.client(nil).Dial(kit.Within(t), "srv", cfg, upstream.Events{})
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
	holds := busy.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "never", Run: "run", Done: func(json.RawMessage, error) {}})
	for range many {
		busy.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "sleep", Args: json.RawMessage(`{"ms":20}`), Run: "run", Done: count})
	}
	inHub := func(calls int) bool {
		for _, g := range r.host.Status().Gateways {
			if g.InFlight == calls {
				return true
			}
		}
		return false
	}
	kit.Eventually(t, "the calls are in the hub", func() bool { return inHub(many + 1) })
	answered := make(chan int, 1)
	quiet.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "sleep", Args: json.RawMessage(`{"ms":1}`), Run: "run", Done: func(json.RawMessage, error) {
		mu.Lock()
		defer mu.Unlock()
		answered <- done
	}})
	kit.Eventually(t, "the call of the other gateway is in the hub", func() bool { return inHub(1) })
	holds.Cancel("over", &toolscript.Error{Kind: toolscript.Cancelled, Err: errNo})
	if before := <-answered; before > many/2 {
		t.Errorf("%d calls of the other gateway came before", before)
	}
	kit.Eventually(t, "all calls", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return done == many
	})
}

// TestBusy checks the limits for one server over all gateways: 64 calls in flight, and 1,024 that wait.
func TestBusy(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	var conns []*hub.Conn
	for range 3 {
		conn, err := r.client(nil).Dial(kit.Within(t), "srv", cfg, upstream.Events{})
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	const tooMany = 5
	failed := make(chan error, 2000)
	var started []upstream.Started
	for i := range upstream.DefaultConcurrency + 1024 + tooMany {
		started = append(started, conns[i%len(conns)].Start(upstream.ToolCall{Ctx: t.Context(), Tool: "never", Done: func(_ json.RawMessage, err error) { failed <- err }}))
	}
	for range tooMany {
		kindIs(t, <-failed, toolscript.Busy, "1024 wait")
	}
	if n := r.host.Status().Servers[0].Status.InFlight; n != upstream.DefaultConcurrency {
		t.Errorf("%d calls are in flight", n)
	}
	for _, s := range started {
		s.Cancel("over", &toolscript.Error{Kind: toolscript.Cancelled, Err: errNo})
	}
	kit.Eventually(t, "no call is left", func() bool {
		status := r.host.Status()
		for _, g := range status.Gateways {
			if g.InFlight > 0 {
				return false
			}
		}
		return status.Servers[0].Status.InFlight == 0
	})
	for range len(started) - tooMany {
		kindIs(t, <-failed, toolscript.Cancelled, "")
	}
}

// TestChangedConcurrency checks that a concurrency that one gateway changes applies to the calls of
// another gateway, without a new connection.
func TestChangedConcurrency(t *testing.T) {
	t.Parallel()
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost)
	s := r.gateway(r.client(nil), cfg)
	ready(t, s)
	other, err := r.client(nil).Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	first := func() string { // returns which of a slow and a quick call ends first
		order := make(chan string, 2)
		start := func(tool, args string) {
			other.Start(upstream.ToolCall{Ctx: t.Context(), Tool: tool, Args: json.RawMessage(args), Done: func(_ json.RawMessage, err error) {
				if err != nil {
					t.Error(err)
				}
				order <- tool
			}})
		}
		start("sleep", `{"ms":300}`)
		start("echo", `{"text":"x"}`)
		one := <-order
		<-order
		return one
	}
	for _, step := range []struct {
		limit int
		want  string
	}{{1, "sleep"}, {0, "echo"}} {
		cfg.Concurrency = step.limit
		if _, err := s.Configure(kit.Within(t), map[string]upstream.Config{"srv": cfg}); err != nil {
			t.Fatal(err)
		}
		kit.Eventually(t, "the hub has the new concurrency", func() bool { return first() == step.want })
	}
	if n := len(r.host.Status().Servers); n != 1 {
		t.Errorf("%d servers", n)
	}
}

// TestQuestions checks that a question of a server reaches the person at the gateway that made the
// call. While calls of two gateways are in flight, a question without the id of its call reaches
// nobody. The server never learns the roots of a session.
func TestQuestions(t *testing.T) {
	r := startHub(t, nil)
	cfg := config(t, upstream.SharedHost, "asks")
	people := map[string]*actors.System{"ada": r.gateway(r.client(nil), cfg), "bob": r.gateway(r.client(nil), cfg)}
	ask := func(who string) string {
		args := json.RawMessage(`{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"who":{"type":"string"}}}}}`)
		result, err := people[who].CallTool(t.Context(), toolscript.Call{ID: "srv__ask", Args: args, Ask: func(context.Context, toolscript.Question) (toolscript.Answer, error) {
			return toolscript.Answer{Action: toolscript.Accept, Content: json.RawMessage(`{"who":"` + who + `"}`)}, nil
		}})
		if err != nil {
			return err.Error()
		}
		return string(result)
	}
	for who, s := range people {
		ready(t, s)
		if got := ask(who); !strings.Contains(got, who) {
			t.Errorf("%s: %s", who, got)
		}
	}
	var both sync.WaitGroup
	for who := range people {
		both.Go(func() {
			for range 20 {
				if got := ask(who); !strings.Contains(got, who) && !strings.Contains(got, "the question does not name its call") {
					t.Errorf("%s: %s", who, got)
				}
			}
		})
	}
	both.Wait()
	result, err := servedCall(t, people["ada"], "ask", `{"method":"roots/list"}`)
	if got := text(t, result, err); got != `{"roots":[]}` {
		t.Errorf("roots: %s", got)
	}
}

// TestEndUnused checks that EndUnused ends only servers that no gateway uses.
func TestEndUnused(t *testing.T) {
	r := startHub(t, nil)
	conn, err := r.client(nil).Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	r.host.EndUnused()
	if err := conn.Ping(kit.Within(t)); err != nil || conn.Err() != nil {
		t.Errorf("a server in use has ended: %v, %v", err, conn.Err())
	}
	_ = conn.Close()
	kit.Eventually(t, "the server is not in use", func() bool { return r.host.Status().Servers[0].Gateways == 0 })
	r.host.EndUnused()
	if n := len(r.host.Status().Servers); n != 0 {
		t.Errorf("%d servers are left", n)
	}
}

// TestLog checks that log messages of a server reach all gateways that use it.
func TestLog(t *testing.T) {
	r := startHub(t, nil)
	lines := make(chan string, 100)
	conn, err := r.client(nil).Dial(kit.Within(t), "srv", config(t, upstream.SharedHost), upstream.Events{Log: func(level slog.Level, text string) {
		if level == slog.LevelWarn {
			lines <- text
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	conn.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "log", Args: json.RawMessage(`{"level":"warning","text":"disk almost full"}`), Done: func(json.RawMessage, error) {}})
	select {
	case line := <-lines:
		if !strings.Contains(line, "disk almost full") {
			t.Errorf("log %q", line)
		}
	case <-time.After(kit.Patience):
		t.Error("no log message")
	}
}
