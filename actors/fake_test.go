package actors_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/upstream"
)

// fakeConn is a connection that its fields control. By default it has one tool, echo,
// which returns its arguments.
type fakeConn struct {
	says   string // its instructions
	server string
	tools  []string
	inline bool // call runs in the caller's goroutine
	call   func(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error)
	close  func()
	fetch  func(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error)

	lost chan struct{}
	once sync.Once
}

func newConn(server string, tools ...string) *fakeConn {
	if len(tools) == 0 {
		tools = []string{"echo"}
	}
	return &fakeConn{server: server, tools: tools, lost: make(chan struct{})}
}

func (c *fakeConn) Info() upstream.Info {
	return upstream.Info{Title: c.server, Version: "1", Instructions: c.says}
}
func (c *fakeConn) Lost() <-chan struct{}      { return c.lost }
func (c *fakeConn) Err() error                 { return nil }
func (c *fakeConn) Stderr() []string           { return nil }
func (c *fakeConn) Ping(context.Context) error { return nil }
func (c *fakeConn) die()                       { c.once.Do(func() { close(c.lost) }) }

func (c *fakeConn) Close() error {
	if c.close != nil {
		c.close()
	}
	return nil
}

func (c *fakeConn) ListTools(context.Context) ([]toolscript.Tool, error) {
	var all []toolscript.Tool
	for _, name := range c.tools {
		all = append(all, toolscript.Tool{Server: c.server, Name: name, InputSchema: json.RawMessage(`{
			"type": "object",
			"properties": {"n": {"type": "integer"}},
			"additionalProperties": false
		}`)})
	}
	return all, nil
}

func (c *fakeConn) Fetch(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error) {
	if c.fetch == nil {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: c.server, Err: upstream.ErrNoCapability}
	}
	return c.fetch(ctx, o, progress)
}

func (c *fakeConn) Start(m upstream.ToolCall) upstream.Started {
	if c.inline {
		m.Done(c.call(m.Ctx, m.Tool, m.Args))
		return nil
	}
	return m.Go(func(ctx context.Context) (json.RawMessage, error) {
		if c.call == nil {
			return m.Args, nil
		}
		return c.call(ctx, m.Tool, m.Args)
	})
}

// dialer maps servers to dial functions. Other servers connect at once.
type dialer map[string]func(ctx context.Context) (server.Conn, error)

func (d dialer) dial(ctx context.Context, name string, _ upstream.Config, _ upstream.Events) (server.Conn, error) {
	if f := d[name]; f != nil {
		return f(ctx)
	}
	return newConn(name), nil
}

// answers returns a dial function with a fixed result.
func answers(conn server.Conn, err error) func(context.Context) (server.Conn, error) {
	return func(context.Context) (server.Conn, error) { return conn, err }
}

// after delays a dial function.
func after(d time.Duration, f func(context.Context) (server.Conn, error)) func(context.Context) (server.Conn, error) {
	return func(ctx context.Context) (server.Conn, error) {
		select {
		case <-time.After(d):
			return f(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// start starts a System with these servers and closes it at the end of the
// test.
func start(t *testing.T, d dialer, servers ...string) *actors.System {
	t.Helper()
	o := actors.Options{Servers: map[string]upstream.Config{}, Dial: d.dial}
	for _, name := range servers {
		o.Servers[name] = upstream.Config{Type: upstream.HTTP} // not a process, whose start waits for others
	}
	return startWith(t, o)
}

func startWith(tb testing.TB, o actors.Options) *actors.System {
	tb.Helper()
	s, err := actors.Start(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Errorf("Close: %v", err)
		}
	})
	return s
}

// settle waits until no server is connecting.
func settle(t *testing.T, s *actors.System) {
	t.Helper()
	if _, pending := s.Await(t.Context(), nil); len(pending) > 0 {
		t.Fatalf("still connecting: %q", pending)
	}
}

// echo calls the echo tool of a server.
func echo(t *testing.T, s *actors.System, server string) error {
	t.Helper()
	result, err := s.CallTool(t.Context(), toolscript.Call{ID: server + "__echo", Args: json.RawMessage(`{"n":1}`)})
	if err == nil && string(result) != `{"n":1}` {
		t.Errorf("echo = %s", result)
	}
	return err
}
