package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin/changes"
	"github.com/toolscript/toolscript/transport/builtin/command"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/inflight"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Dialer opens servers of built-in tools. Its zero value is ready for use.
type Dialer struct {
	Host     tool.Host
	Registry *Registry        // nil: NewRegistry()
	Answers  *inflight.Budget // limits the memory for the results of all calls; nil means unlimited
}

// Conn is a server of built-in tools. It is safe for concurrent use.
type Conn struct {
	name      string
	on        mcpclient.Events
	answers   *inflight.Budget
	workspace *tool.Workspace
	tools     map[string]tool.Tool
	listed    []toolscript.Tool

	calls   sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	gone    chan struct{}
	life    context.Context //nolint:containedctx // the calls of the connection end with it
	hangUp  context.CancelCauseFunc
	closing sync.Once
}

// errClosed is the reason for the end of calls whose server is stopped.
var errClosed = errors.New("the server was stopped")

// Dial opens the folder cfg.Root. The error is a *toolscript.Error: Invalid if the
// configuration names an unknown tool, Unavailable if the folder cannot be opened.
func (d Dialer) Dial(_ context.Context, name string, cfg mcpclient.Config, on mcpclient.Events) (*Conn, error) {
	if cfg.Problem != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: cfg.Problem}
	}
	registry := d.Registry
	if registry == nil {
		registry = NewRegistry()
	}
	workspace, err := tool.Open(cfg.Root, d.Host)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Err: fmt.Errorf("open its root folder: %w", err)}
	}
	c := &Conn{
		name: name, on: on, answers: d.Answers, workspace: workspace,
		tools: map[string]tool.Tool{}, gone: make(chan struct{}),
	}
	c.life, c.hangUp = context.WithCancelCause(context.Background())
	workspace.Log, workspace.Settings, workspace.Env = c.log, cfg.Settings, mcpclient.Environment(os.Environ(), cfg)
	workspace.Background = c.background
	for _, wanted := range cfg.Tools {
		t, known := registry.Get(wanted)
		if !known {
			_ = workspace.Close() // nothing was changed
			return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: fmt.Errorf("there is no built-in tool %q", wanted)}
		}
		c.tools[wanted] = t
		c.listed = append(c.listed, describe(name, t))
	}
	if text := c.unconfined(); text != "" {
		c.log(slog.LevelWarn, text)
	}
	return c, nil
}

// describe is a tool as the catalog has it.
func describe(server string, t tool.Tool) toolscript.Tool {
	return toolscript.Tool{
		Server: server, Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: json.RawMessage(t.Input), OutputSchema: json.RawMessage(t.Output),
		Annotations: t.Annotations, RequiresApproval: t.RequiresApproval,
	}
}

func (c *Conn) log(level slog.Level, message string) {
	if c.on.Log != nil {
		c.on.Log(level, message)
	}
}

// Info returns the description of the server.
func (c *Conn) Info() mcpclient.Info {
	return mcpclient.Info{Title: "Built-in tools", Version: toolscript.Version, Instructions: c.unconfined()}
}

// unconfined says which protection the programs of exec lack on this machine; "" if there
// is nothing to say.
func (c *Conn) unconfined() string {
	if _, runs := c.tools[command.Exec.Name]; !runs {
		return ""
	}
	for _, part := range c.workspace.Confinement {
		if !part.Active {
			return fmt.Sprintf("Programs of the tool exec are not confined on this machine (%s): they can do what the user can.", part.Detail)
		}
	}
	return ""
}

// ListTools returns the configured tools.
func (c *Conn) ListTools(context.Context) ([]toolscript.Tool, error) { return c.listed, nil }

// Start begins a call in a goroutine.
func (c *Conn) Start(t mcpclient.ToolCall) mcpclient.Started {
	about := toolscript.Error{Server: c.name, Tool: t.Tool}
	known, ok := c.tools[t.Tool]
	if !ok {
		about.Kind, about.Err = toolscript.NotFound, errors.New("there is no such tool")
		t.Done(nil, &about)
		return ended{}
	}
	if !c.begin() {
		about.Kind, about.Err = toolscript.Unavailable, errClosed
		t.Done(nil, &about)
		return ended{}
	}
	return t.Go(func(ctx context.Context) (json.RawMessage, error) {
		defer c.calls.Done()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
		value, err := c.run(tool.WithRun(ctx, t.Run), known, t.Args)
		return c.answer(ctx, value, err, about)
	})
}

// begin counts a call. It returns false after Close.
func (c *Conn) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.calls.Add(1)
	return true
}

// background runs work that is not part of a call, until Close.
func (c *Conn) background(work func(context.Context)) {
	if !c.begin() {
		return
	}
	go func() {
		defer c.calls.Done()
		defer func() {
			if r := recover(); r != nil {
				c.log(slog.LevelError, fmt.Sprintf("panic of a tool in the background: %v\n%s", r, debug.Stack()))
			}
		}()
		work(c.life)
	}()
}

// run calls the function of a tool. A panic becomes an error of the call.
func (c *Conn) run(ctx context.Context, t tool.Tool, args json.RawMessage) (value any, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log(slog.LevelError, fmt.Sprintf("panic in the tool %s: %v\n%s", t.Name, r, debug.Stack()))
			err = errors.New("a fault of toolscript ended the call; the log has its stack")
		}
	}()
	if err := changes.Recover(c.workspace); err != nil {
		c.log(slog.LevelError, err.Error())
	}
	return t.Run(ctx, c.workspace, args)
}

// answer encodes the result of a tool as that of an MCP tool. The end of ctx is not a
// result.
func (c *Conn) answer(ctx context.Context, value any, failed error, about toolscript.Error) (json.RawMessage, error) {
	if cause := context.Cause(ctx); cause != nil && failed != nil {
		var known *toolscript.Error
		if errors.As(cause, &known) {
			return nil, known
		}
		about.Kind, about.Err = toolscript.Cancelled, cause
		if errors.Is(cause, context.DeadlineExceeded) {
			about.Kind = toolscript.Timeout
		}
		return nil, &about
	}
	var known *toolscript.Error
	if errors.As(failed, &known) {
		about.Kind, about.Err = known.Kind, known.Err
		return nil, &about
	}
	result, err := encode(value, failed)
	if err != nil {
		about.Kind, about.Err = toolscript.Internal, err
		return nil, &about
	}
	ctx, release := inflight.Ensure(ctx)
	defer release()
	if err := c.answers.Lease(ctx).Take(ctx, len(result)); err != nil {
		about.Kind, about.Err = toolscript.TooLarge, err
		return nil, &about
	}
	return result, nil
}

// encode writes a tool result of MCP. A value is the structured content alone: the
// catalog has its schema, and a copy as text would double the size of every result.
func encode(value any, failed error) (json.RawMessage, error) {
	var result any = struct {
		Content    []any `json:"content"`
		Structured any   `json:"structuredContent"`
	}{[]any{}, value}
	if failed != nil {
		result = map[string]any{"isError": true, "content": []any{map[string]string{"type": "text", "text": failed.Error()}}}
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // code has many of these characters
	err := to.Encode(result)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// Fetch returns an error: the server has neither resources nor prompts.
func (c *Conn) Fetch(context.Context, toolscript.FetchRequest, func()) (json.RawMessage, error) {
	return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: c.name, Err: mcpclient.ErrNoCapability}
}

// Ping checks that the root folder is still the folder that was opened.
func (c *Conn) Ping(context.Context) error {
	if err := c.workspace.Check(); err != nil {
		return &toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: fmt.Errorf("%w: %w", mcpclient.ErrUnreachable, err)}
	}
	return nil
}

// Lost returns a channel that is closed when the server was closed.
func (c *Conn) Lost() <-chan struct{} { return c.gone }

// Err returns why the server has ended, nil before Close.
func (c *Conn) Err() error {
	if c.life.Err() == nil {
		return nil
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: errClosed}
}

// Stderr returns nothing: there is no process.
func (c *Conn) Stderr() []string { return nil }

// Close ends the calls in flight, and the server with the last of them.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.hangUp(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: errClosed})
		close(c.gone)
		go func() { // a tool that does not end at once must not delay the end of the gateway
			c.calls.Wait()
			_ = c.workspace.Close() // it was only read
		}()
	})
	return nil
}

// ended is a call that has ended in Start.
type ended struct{}

func (ended) Cancel(string, error) {}
