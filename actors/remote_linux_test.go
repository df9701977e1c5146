package actors_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/transport/upstream"
)

// fleetRun is a run of a System with limits.pool, and what its client has seen.
type fleetRun struct {
	end      toolscript.End
	warnings string
}

// fleet is a System whose scripts may run on a machine of a real NATS server.
type fleet struct {
	*actors.System
	url   string
	cache string
}

// startFleet starts a System without a runner. call answers the calls of the server a.
func startFleet(t *testing.T, call func(context.Context, string, json.RawMessage) (json.RawMessage, error)) *fleet {
	t.Helper()
	f := &fleet{url: natstest.Start(t, &natsserver.Options{}).ClientURL(), cache: t.TempDir()}
	runners := remote.NewFleet(func() string { return "user1" }, f.connect, slog.Default())
	t.Cleanup(runners.Reset)
	conn := newConn("a")
	conn.call = call
	o := actors.Options{
		Dial:    dialer{"a": answers(conn, nil)}.dial,
		Servers: map[string]upstream.Config{"a": {Type: upstream.Stdio}},
	}
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartChecker(ctx, worker.Options{CacheDir: f.cache})
	}
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartSandbox(ctx, worker.Options{CacheDir: f.cache})
	}
	o.Scripts.Defaults = func() actors.Defaults { return actors.Defaults{Pool: actors.PoolFleet} }
	o.Scripts.Remote = func(ctx context.Context) (runs.Remote, error) { return runners.Take(ctx) }
	f.System = startWith(t, o)
	settle(t, f.System)
	return f
}

func (f *fleet) connect(_ context.Context, o ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(f.url, o...)
}

// serve starts a runner on the machine "there".
func (f *fleet) serve(t *testing.T) *remote.Server {
	t.Helper()
	s, err := remote.Join(t.Context(), f.connect, remote.Options{Runners: 2, Host: "there", Version: "test", Log: slog.Default(), Lend: func(ctx context.Context) (runner.Runner, func(bool), error) {
		w, err := worker.StartSandbox(ctx, worker.Options{CacheDir: f.cache})
		if err != nil {
			return nil, nil, err
		}
		return w, func(bool) { w.Close() }, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// exec runs a script, with changes of its request.
func (f *fleet) exec(t *testing.T, code string, change func(*toolscript.ExecRequest)) (r fleetRun) {
	t.Helper()
	request := toolscript.ExecRequest{Code: code, Rules: toolscript.Rules{Check: toolscript.CheckOff}}
	if change != nil {
		change(&request)
	}
	err := f.Exec(t.Context(), request, func(e toolscript.Event) error {
		switch e.Type {
		case toolscript.EventEnd:
			r.end = *e.End
		case toolscript.EventProgress:
			r.warnings += e.Message
		default:
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func echoed(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"content":[],"structuredContent":` + string(args) + `}`), nil
}

// TestRemoteRuns checks which runs use a sandbox of the fleet, and that the gateway makes their calls under its
// rules.
func TestRemoteRuns(t *testing.T) {
	f := startFleet(t, echoed)
	f.serve(t)
	for _, c := range []struct {
		name, code, value, host string
		change                  func(*toolscript.ExecRequest)
	}{
		{"calls", `return (await tools.a.echo({ n: 2 })).n`, `2`, "there", nil},
		{"with standard input that it does not read", `return 1`, `1`, "there", func(q *toolscript.ExecRequest) { q.Stdin = true }},
		{"no tool allowed", `return await tools.a.echo({}).catch((e) => e.code)`, `"forbidden"`, "there", func(q *toolscript.ExecRequest) { q.Allow = []string{} }},
		{"reads standard input", `return typeof stdin`, `"object"`, "", func(q *toolscript.ExecRequest) { q.Stdin = true }},
		{"plan", `return await tools.a.echo({}).then(() => 1)`, `1`, "there", func(q *toolscript.ExecRequest) { q.Plan = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			end := f.exec(t, c.code, c.change).end
			if string(end.Value) != c.value || end.Metrics.Host != c.host {
				t.Errorf("value %s on %q, want %s on %q; %+v", end.Value, end.Metrics.Host, c.value, c.host, end.Error)
			}
		})
	}
}

// TestNoRunner checks that a script runs on this machine, with a warning, while the fleet has
// no runner.
func TestNoRunner(t *testing.T) {
	f := startFleet(t, echoed)
	r := f.exec(t, `return 1`, nil)
	if string(r.end.Value) != "1" || r.end.Metrics.Host != "" || !strings.Contains(r.warnings, "--runners") {
		t.Errorf("value %s on %q with warnings %q", r.end.Value, r.end.Metrics.Host, r.warnings)
	}
}

// TestLostRunner checks that a run whose runner ends has a typed error, and that its script
// was not started again, neither on this machine nor on another one.
func TestLostRunner(t *testing.T) {
	var lost *remote.Server
	var calls atomic.Int64
	f := startFleet(t, func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		if calls.Add(1) == 1 {
			go lost.Close()
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	lost = f.serve(t)
	end := make(chan toolscript.End, 1)
	go func() { end <- f.exec(t, `await tools.a.echo({})`, nil).end }()
	r := <-end
	if r.Kind != toolscript.Unavailable || !strings.Contains(r.Error.Message, "there") {
		t.Errorf("the run ended with %q: %+v", r.Kind, r.Error)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the call was made %d times", n)
	}
}
