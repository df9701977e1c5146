package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/upstream"
)

// broken is a server that cannot be reached until works is set. It counts dials.
type broken struct {
	works atomic.Bool
	dials atomic.Int64
}

func (b *broken) dial(context.Context) (server.Conn, error) {
	b.dials.Add(1)
	if !b.works.Load() {
		return nil, errors.New("refused")
	}
	return newConn("b"), nil
}

// TestFailedServerIsTriedOnUse checks that every use of the server, and
// a reload, starts one attempt to connect.
func TestFailedServerIsTriedOnUse(t *testing.T) {
	call := func(wait time.Duration) func(*testing.T, *actors.System) error {
		return func(t *testing.T, s *actors.System) error {
			t.Helper()
			_, err := s.CallTool(t.Context(), toolscript.Call{ID: "b__echo", Args: json.RawMessage(`{"n":1}`), Wait: wait})
			return err
		}
	}
	await := func(f toolscript.Filter) func(*testing.T, *actors.System) error {
		return func(t *testing.T, s *actors.System) error {
			t.Helper()
			if waited, pending := s.Await(t.Context(), f); len(waited) != 1 || len(pending) != 0 {
				t.Errorf("Await = %q, %q", waited, pending)
			}
			return echo(t, s, "b")
		}
	}
	for name, use := range map[string]func(*testing.T, *actors.System) error{
		"a call that waits": call(toolscript.ConnectWait),
		"its name":          await(toolscript.Filter{"b"}),
		"all servers":       await(nil),
		"a reload": func(t *testing.T, s *actors.System) error {
			t.Helper()
			r, err := s.Configure(t.Context(), map[string]upstream.Config{"b": {Type: upstream.HTTP}})
			if err != nil || len(r.Retried) != 1 || r.Retried[0] != "b" || len(r.Unchanged) != 0 {
				t.Errorf("Configure = %+v, %v, want b retried", r, err)
			}
			synctest.Wait()
			return echo(t, s, "b")
		},
		"a call after one that did not wait": func(t *testing.T, s *actors.System) error {
			t.Helper()
			if err := call(0)(t, s); toolscript.KindOf(err) != toolscript.Unavailable {
				t.Errorf("a call that does not wait = %v, want unavailable", err)
			}
			synctest.Wait()
			return call(0)(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &broken{}
				s := start(t, dialer{"b": b.dial}, "b")
				time.Sleep(4 * time.Minute) // after a minute and a half the attempts are five minutes apart
				before := b.dials.Load()
				b.works.Store(true)
				begin := time.Now()
				if err := use(t, s); err != nil {
					t.Errorf("after the repair: %v", err)
				}
				if n := b.dials.Load() - before; n != 1 {
					t.Errorf("%d tries, want 1", n)
				}
				if took := time.Since(begin); took > time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// TestWaitForAllServersIsBounded checks that a server that does not respond delays
// a use of all servers by ten seconds.
func TestWaitForAllServersIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s := start(t, dialer{"b": func(ctx context.Context) (server.Conn, error) {
			if n++; n == 1 {
				return nil, errors.New("refused")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}, "b", "up")
		synctest.Wait()
		begin := time.Now()
		if waited, pending := s.Await(t.Context(), nil); len(waited) != 1 || len(pending) != 0 {
			t.Errorf("Await = %q, %q", waited, pending)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("took %v, want ten seconds", took)
		}
	})
}

// fakeSandbox is a sandbox process whose script is a Go function.
type fakeSandbox struct {
	fakeChecker
	script func(context.Context, runner.Host) *toolscript.ToolError
}

func (f *fakeSandbox) Run(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
	if failure := f.script(ctx, host); failure != nil {
		return runner.Outcome{Err: &toolscript.RunError{Code: failure.Code, Message: failure.Message}, ExitCode: 1}, nil
	}
	return runner.Outcome{}, nil
}

// TestAScriptCallsAServerWhoseToolsWereNeverListed checks that a call of a running
// script starts one attempt to connect and waits for it. The call uses the tool's
// name in scripts or its own name. Errors reveal only tools that the run may call.
func TestAScriptCallsAServerWhoseToolsWereNeverListed(t *testing.T) {
	for _, tt := range []struct {
		id    string
		allow []string
		kind  toolscript.Kind
		idle  bool // no attempt to connect is expected
	}{
		{id: "b__say-hello"},
		{id: "b__sayHello"},
		{id: "b__sayHello", allow: []string{"b"}},
		{id: "b__sayHello", allow: []string{"b__say-hello"}},
		{id: "b__sayHello", allow: []string{"b__other"}, kind: toolscript.Forbidden},
		{id: "b__sayGoodbye", allow: []string{"b__other"}, kind: toolscript.Forbidden},
		{id: "b__sayHello", allow: []string{"a"}, kind: toolscript.Forbidden, idle: true},
		{id: "b__sayGoodbye", kind: toolscript.NotFound},
	} {
		t.Run(tt.id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var works atomic.Bool
				var dials atomic.Int64
				dial := func(context.Context) (server.Conn, error) {
					if dials.Add(1); !works.Load() {
						return nil, errors.New("refused")
					}
					return newConn("b", "say-hello"), nil
				}
				script := func(_ context.Context, host runner.Host) *toolscript.ToolError {
					time.Sleep(4 * time.Minute) // by then, the server is in backoff
					works.Store(true)
					before := dials.Load()
					answered := make(chan runner.Answer, 1)
					host.Begin(runner.Call{CallID: "1", ID: tt.id, Args: json.RawMessage(`{"n":1}`)}, func(a runner.Answer) { answered <- a })
					failure := (<-answered).Failure
					want := int64(1)
					if tt.idle {
						want = 0
					}
					if n := dials.Load() - before; n != want {
						t.Errorf("%d attempts to connect, want %d", n, want)
					}
					return failure
				}
				o := actors.Options{Servers: configs("b"), Dial: dialer{"b": dial}.dial}
				o.Scripts.StartChecker = func(context.Context) (workers.Worker, error) {
					return &fakeChecker{dead: make(chan struct{})}, nil
				}
				o.Scripts.StartSandbox = func(context.Context) (workers.Worker, error) {
					return &fakeSandbox{fakeChecker{dead: make(chan struct{})}, script}, nil
				}
				var end *toolscript.End
				request := toolscript.ExecRequest{Code: "x", Limits: toolscript.Limits{TimeoutMs: 1e6}, Rules: toolscript.Rules{Allow: tt.allow}}
				err := startWith(t, o).Exec(t.Context(), request, func(e toolscript.Event) error {
					end = e.End
					return nil
				})
				if err != nil || end == nil || end.Kind != tt.kind {
					t.Errorf("the run ended with %+v, %v, want kind %q", end, err, tt.kind)
				}
			})
		})
	}
}
