package actors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/transport/upstream"
)

// requestTime bounds each request of a busyHour.
const requestTime = 5 * time.Second

// occasion is an actor and the type of a message that it gets. Servers and runs have the names
// "server" and "run".
type occasion struct{ actor, message string }

// fuse notes the occasions of a System, and makes an actor panic at one of them.
type fuse struct {
	at occasion // zero: no actor panics

	mu    sync.Mutex
	armed bool
	blown bool
	seen  map[occasion]bool
}

func (f *fuse) intercept(actor string, message any) {
	kind, _, _ := strings.Cut(actor, "/")
	m := occasion{kind, fmt.Sprintf("%T", message)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[m] = true
	if f.armed && m == f.at && !f.blown {
		f.blown = true
		panic("injected: " + m.message)
	}
}

func (f *fuse) arm(armed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = armed
}

// office is a System with all actors except the pool of Deno. Its servers and processes are fakes.
type office struct {
	*actors.System
	t     *testing.T
	fuse  *fuse
	conns sync.Map // the last *officeConn of each server
}

type officeConn struct {
	*fakeConn
	on upstream.Events
}

func newOffice(t *testing.T, at occasion) *office {
	t.Helper()
	o := &office{t: t, fuse: &fuse{at: at, seen: map[occasion]bool{}}}
	logger := slog.New(slog.DiscardHandler)
	options := actors.Options{
		Servers: configs("a", "b"),
		Dial: func(_ context.Context, name string, _ upstream.Config, on upstream.Events) (server.Conn, error) {
			c := &officeConn{newConn(name, "echo", "ask"), on}
			o.conns.Store(name, c)
			return c, nil
		},
		Logger: logger,
		Approvals: actors.Approvals{Policies: func() toolscript.Approvals {
			return toolscript.Approvals{{Rules: []toolscript.ApprovalRule{{Match: []string{"*__ask"}, Action: toolscript.ApprovalAsk}}}}
		}},
		Audit: audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: t.TempDir()}, Logger: logger}),
		Store: &store.Options{Folder: t.TempDir()},
		Scripts: actors.Scripts{
			StartChecker: func(context.Context) (workers.Worker, error) { return &fakeChecker{dead: make(chan struct{})}, nil },
			StartSandbox: func(context.Context) (workers.Worker, error) {
				return &fakeSandbox{fakeChecker{dead: make(chan struct{})}, callsEcho}, nil
			},
		},
	}
	actors.Intercept(&options, o.fuse.intercept)
	o.fuse.arm(true)
	o.System = startWith(t, options)
	time.Sleep(time.Minute) // an actor that panics at its start is restarted
	return o
}

// callsEcho is a script that calls a tool, and then waits for standard input or the end of the run.
func callsEcho(ctx context.Context, host runner.Host) *toolscript.ToolError {
	answered := make(chan runner.Answer, 1)
	host.Begin(runner.Call{CallID: "1", ID: "a__echo", Args: json.RawMessage(`{"n":1}`)}, func(a runner.Answer) { answered <- a })
	failure := (<-answered).Failure
	_, _ = host.ReadStdin(ctx)
	return failure
}

// do makes a request, which must end in time. It may fail.
func (o *office) do(what string, request func(ctx context.Context)) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), requestTime)
	defer cancel()
	begin := time.Now()
	request(ctx)
	if took := time.Since(begin); took > requestTime {
		o.t.Errorf("%s took %v", what, took)
	}
	synctest.Wait()
}

// busyHour makes every kind of request to the actors.
func (o *office) busyHour() {
	o.t.Helper()
	o.do("events", func(ctx context.Context) {
		go func() { _ = o.Events(ctx, toolscript.LiveQuery{}, func([]toolscript.LiveEvent) error { return nil }) }()
		o.run(ctx)
	})
	o.do("a call", func(ctx context.Context) { _, _ = o.CallTool(ctx, echoOf("a")) })
	o.do("a call with a question", o.ask)
	o.do("types", func(ctx context.Context) { _, _ = o.Types(ctx, nil, false) })
	o.do("a search", func(ctx context.Context) { _, _ = o.Search(ctx, toolscript.SearchQuery{Text: "echo"}) })
	o.do("the model", func(context.Context) { o.ConfigureSearch(actors.SearchOptions{}) })
	o.do("status", func(ctx context.Context) { _, _ = o.Status(ctx); _, _ = o.Measures(ctx) })
	o.do("a value", func(ctx context.Context) {
		_, _ = actors.Stored(o.System, ctx, store.Request{Owner: mine, Op: store.Set, Key: "k", Value: json.RawMessage("1")})
	})
	o.do("a login", func(ctx context.Context) { _, _ = o.BeginAuth(ctx, "a", ""); _, _ = o.FinishAuth(ctx, nil) })
	o.do("changed tools", func(context.Context) { o.conn("b").on.ToolsChanged() })
	o.do("a lost connection", func(context.Context) { o.conn("b").die() })
	o.do("a restart", func(ctx context.Context) { _, _ = o.RestartServer(ctx, "a") })
	o.do("other servers", func(ctx context.Context) { _, _ = o.Configure(ctx, configs("a", "c")) })
	o.do("the servers again", func(ctx context.Context) { _, _ = o.Configure(ctx, configs("a", "b")) })
	time.Sleep(2 * time.Minute) // health checks, and workers that nobody uses end
}

func (o *office) conn(name string) *officeConn {
	o.t.Helper()
	c, ok := o.conns.Load(name)
	if !ok {
		o.t.Fatalf("no connection of %s", name)
	}
	return c.(*officeConn)
}

func echoOf(name string) toolscript.Call {
	return toolscript.Call{ID: name + "__echo", Args: json.RawMessage(`{"n":1}`)}
}

// run runs a script, and makes all requests to its actor.
func (o *office) run(ctx context.Context) {
	var id string
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = o.Exec(ctx, toolscript.ExecRequest{Code: "x", Stdin: true}, func(e toolscript.Event) error {
			if e.Type == toolscript.EventStart {
				id = e.RunID
			}
			return nil
		})
	}()
	synctest.Wait()
	_, _ = o.Runs(ctx)
	_, _ = o.Run(ctx, id)
	_, _, _ = o.RunOf("none")
	_ = o.ReplyRun(ctx, id, toolscript.Answer{})
	_, _ = o.CallTool(ctx, toolscript.Call{ID: "a__echo", Run: id, Args: json.RawMessage("{}")})
	_ = o.GiveStdin(ctx, id, toolscript.StdinPiece{Data: []byte("x")})
	synctest.Wait()
	_ = o.AbortRun(ctx, id)
	<-ended
}

// ask makes a call that needs approval, and allows it.
func (o *office) ask(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = o.CallTool(ctx, toolscript.Call{ID: "a__ask", Args: json.RawMessage(`{"n":1}`)})
	}()
	synctest.Wait()
	pending, _ := o.PendingApprovals(ctx)
	for _, a := range pending {
		_ = o.ShowApproval(ctx, a.ID, func(toolscript.Approval, string) {})
		_ = o.AnswerApproval(ctx, a.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}, true)
	}
	<-ended
}

// check checks that everything works, and that no actor is missing.
func (o *office) check(want []string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), time.Minute)
	defer cancel()
	for _, name := range []string{"a", "b"} {
		if _, err := o.CallTool(ctx, echoOf(name)); err != nil {
			o.t.Errorf("a call of %s: %v", name, err)
		}
	}
	var end *toolscript.End
	err := o.Exec(ctx, toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
		end = e.End
		return nil
	})
	if err != nil || end == nil || !end.OK {
		o.t.Errorf("a run: %+v, %v", end, err)
	}
	if module, err := o.Types(ctx, nil, false); err != nil || !strings.Contains(module.Text, "echo") {
		o.t.Errorf("types: %v", err)
	}
	if found, err := o.Search(ctx, toolscript.SearchQuery{Text: "echo"}); err != nil || len(found.Results) == 0 {
		o.t.Errorf("search: %+v, %v", found, err)
	}
	if _, err := actors.Stored(o.System, ctx, store.Request{Owner: mine, Op: store.Set, Key: "k", Value: json.RawMessage("2")}); err != nil {
		o.t.Errorf("store: %v", err)
	}
	if pending, err := o.PendingApprovals(ctx); err != nil || len(pending) > 0 {
		o.t.Errorf("approvals: %+v, %v", pending, err)
	}
	synctest.Wait() // the actor of the run ends after its last event
	if got := o.actors(ctx); !slices.Equal(got, want) {
		o.t.Errorf("actors that run: %q, want %q", got, want)
	}
}

// actors returns the names of the actors that run.
func (o *office) actors(ctx context.Context) (names []string) {
	o.t.Helper()
	status, err := o.Status(ctx)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, a := range status.Actors {
		if a.State != "failed" {
			names = append(names, a.Name)
		}
		if a.State == "restarting" || a.State == "stopping" || a.MailboxMs > 0 {
			o.t.Errorf("actor %+v", a)
		}
	}
	return names
}

// TestAPanicAtEveryMessage lets each actor panic at each type of message that it gets. Every request
// has an answer in time, and afterwards everything works with the same actors.
func TestAPanicAtEveryMessage(t *testing.T) {
	var all map[occasion]bool
	var names []string
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, occasion{})
		o.busyHour()
		o.do("the actors", func(ctx context.Context) { names = o.actors(ctx) })
		o.check(names)
		o.fuse.mu.Lock()
		defer o.fuse.mu.Unlock()
		all = maps.Clone(o.fuse.seen)
	})
	perActor := map[string]int{}
	for m := range all {
		perActor[m.actor]++
	}
	t.Logf("%d occasions: %v", len(all), perActor)
	for _, name := range names {
		if kind, _, _ := strings.Cut(name, "/"); perActor[kind] < 2 {
			t.Errorf("actor %s got no message", name)
		}
	}
	for m := range all {
		if m.actor == "supervisor" && (m.message == "actor.Initialized" || m.message == "actor.Started") {
			continue // without its root, a System cannot start
		}
		t.Run(m.actor+"/"+m.message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, m)
				o.busyHour()
				o.fuse.arm(false)
				time.Sleep(2 * time.Minute)
				o.check(names)
				if !o.fuse.blown {
					t.Error("the actor did not get the message")
				}
			})
		})
	}
}
