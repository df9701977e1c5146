package server_test

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// fakeConn is a connection whose behaviour is set by its fields. The zero value has
// no tools and answers every call with {}.
type fakeConn struct {
	list  func(context.Context) ([]toolscript.Tool, error)
	call  func(ctx context.Context, tool string, progress func()) (json.RawMessage, error)
	ping  func(context.Context) error
	fetch func(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error)

	panics bool          // Start panics
	ending time.Duration // how long Close takes

	once   sync.Once
	lost   chan struct{}
	err    error
	closed chan struct{}
}

func newConn() *fakeConn {
	return &fakeConn{lost: make(chan struct{}), closed: make(chan struct{})}
}

// withTools returns a connection that lists these tools.
func withTools(names ...string) *fakeConn {
	c := newConn()
	c.list = func(context.Context) ([]toolscript.Tool, error) { return tools(names...), nil }
	return c
}

func (c *fakeConn) Info() upstream.Info   { return upstream.Info{Title: "Fake", Version: "1"} }
func (c *fakeConn) Lost() <-chan struct{} { return c.lost }
func (c *fakeConn) Err() error            { return c.err }
func (c *fakeConn) Stderr() []string      { return []string{"last words"} }

func (c *fakeConn) Close() error {
	time.Sleep(c.ending)
	close(c.closed) // a second Close panics: a connection has one owner
	return nil
}

func (c *fakeConn) die(err error) { c.once.Do(func() { c.err = err; close(c.lost) }) }

func (c *fakeConn) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	if c.list == nil {
		return nil, nil
	}
	return c.list(ctx)
}

func (c *fakeConn) Fetch(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error) {
	if c.fetch == nil {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: upstream.ErrNoCapability}
	}
	return c.fetch(ctx, o, progress)
}

func (c *fakeConn) Start(m upstream.ToolCall) upstream.Started {
	if c.panics {
		panic("planted")
	}
	return m.Go(func(ctx context.Context) (json.RawMessage, error) {
		if c.call == nil {
			return json.RawMessage(`{}`), nil
		}
		return c.call(ctx, m.Tool, m.Progress)
	})
}

func (c *fakeConn) Ping(ctx context.Context) error {
	if c.ping == nil {
		return nil
	}
	return c.ping(ctx)
}

func (c *fakeConn) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

func tools(names ...string) []toolscript.Tool {
	var all []toolscript.Tool
	for _, name := range names {
		all = append(all, toolscript.Tool{Server: "fake", Name: name})
	}
	return all
}

// rig is one server actor under a parent that records the facts.
type rig struct {
	t    *testing.T
	at   mailbox.Address
	root *actor.PID
	work *mailbox.Group
	port server.Port

	mu    sync.Mutex
	facts []any
	on    upstream.Events // of the last dial
	dials []time.Duration // time of each dial since the start
	begin time.Time
	rests atomic.Int64 // how often the server began to rest
}

// options are the settings of a rig.
type options struct {
	config  upstream.Config
	connect time.Duration
	demand  bool
	watched *process          // not nil: the process of the server, in place of dial
	known   []toolscript.Tool // not nil: the server rests from the start
	login   *oauth.Session
	memory  server.Memory
	review  func(instructions string, tools []toolscript.Tool) server.Review
	port    *server.Port                                          // nil: one of its own
	logger  *slog.Logger                                          // nil disables the log
	dial    func(ctx context.Context, n int) (server.Conn, error) // n counts from 1
}

// start starts a rig in the caller's synctest bubble and stops it at the end of the
// test. Goroutines that are left over then fail the bubble. Channels belong to the
// bubble that created them, so connections must be created inside the bubble.
func start(t *testing.T, o options) *rig {
	t.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, begin: time.Now(), work: &mailbox.Group{}}
	if o.watched != nil {
		o.dial = func(ctx context.Context, _ int) (server.Conn, error) {
			r.mu.Lock()
			on := r.on
			r.mu.Unlock()
			f := &fleetOf{running: map[string]int{}, most: map[string]int{}}
			return f.run(ctx, *o.watched, on)
		}
	}
	life := mailbox.NewLife()
	logger := cmp.Or(o.logger, slog.New(slog.DiscardHandler))
	child := server.New(server.Options{
		Name: "fake", Config: o.config, ConnectTimeout: cmp.Or(o.connect, 30*time.Second), OnDemand: o.demand, Memory: o.memory, Review: o.review,
		Rested: func() { r.rests.Add(1) }, Rest: o.known != nil, Known: o.known, Login: o.login, Logger: logger, Work: r.work, Port: cmp.Or(o.port, &r.port), Dial: r.dial(o.dial),
	})
	r.root = engine.SpawnFunc(func(c *actor.Context) {
		switch m := c.Message().(type) {
		case actor.Started:
			pid := c.SpawnChild(func() actor.Receiver { return child }, "child", life.Options("fake")...)
			r.at = mailbox.Address{Engine: engine, PID: pid, Ended: life.Ended()}
		case actor.Initialized, actor.Stopped:
		default:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.facts = append(r.facts, m)
		}
	}, "root", mailbox.NewLife().Options("0")...)
	t.Cleanup(r.stop)
	synctest.Wait()
	return r
}

func (r *rig) dial(f func(context.Context, int) (server.Conn, error)) server.Dial {
	return func(ctx context.Context, _ string, _ upstream.Config, on upstream.Events) (server.Conn, error) {
		r.mu.Lock()
		r.dials = append(r.dials, time.Since(r.begin))
		r.on = on
		n := len(r.dials)
		r.mu.Unlock()
		return f(ctx, n)
	}
}

func (r *rig) stop() {
	r.t.Helper()
	<-r.at.Engine.Poison(r.root).Done()
	<-r.work.Idle()
}

// toolsChanged simulates a notification that the list of tools has changed.
func (r *rig) toolsChanged() {
	r.mu.Lock()
	on := r.on
	r.mu.Unlock()
	on.ToolsChanged()
}

// take returns the facts since the last take, except the actor's Ended.
func (r *rig) take() []any {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	facts := r.facts
	r.facts = nil
	return facts
}

// dialTimes returns the times of all dials so far.
func (r *rig) dialTimes() []time.Duration {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]time.Duration(nil), r.dials...)
}

func (r *rig) status() toolscript.ServerStatus {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	status, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[toolscript.ServerStatus]) any {
		return server.GetStatus{Reply: reply}
	})
	if err != nil {
		r.t.Fatalf("GetStatus: %v", err)
	}
	return status
}

func (r *rig) state() toolscript.ServerState {
	r.t.Helper()
	synctest.Wait()
	return r.status().State
}

// outcome is the answer to a call and its time.
type outcome struct {
	result json.RawMessage
	err    error
	took   time.Duration
}

// call calls a tool from a goroutine.
func (r *rig) call(ctx context.Context, tool string) <-chan outcome { return r.callOf(ctx, "", tool) }

// callOf is call for a run.
func (r *rig) callOf(ctx context.Context, run, tool string) <-chan outcome {
	return r.send(ctx, server.Call{Run: run, Tool: tool})
}

// waitingCall calls the tool a with a maximum wait for a connection.
func (r *rig) waitingCall(ctx context.Context, wait time.Duration) <-chan outcome {
	return r.send(ctx, server.Call{Tool: "a", Wait: wait})
}

func (r *rig) send(ctx context.Context, call server.Call) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		begin := time.Now()
		result, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[json.RawMessage]) any {
			sent := call
			sent.Ctx, sent.Reply = ctx, reply.Send
			return sent
		})
		done <- outcome{result, err, time.Since(begin)}
	}()
	return done
}

// describe returns a short text for each fact: a state, or the names of tools.
func describe(facts []any) []string {
	var out []string
	for _, fact := range facts {
		switch m := fact.(type) {
		case catalog.ServerChanged:
			out = append(out, string(m.Status.State))
		case catalog.ToolsChanged:
			words := []string{"tools:"}
			for _, tool := range m.Tools {
				words = append(words, tool.Name)
			}
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}
