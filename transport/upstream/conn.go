package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Tool is a function with its description.
type Tool struct {
	toolscript.Tool // Server has no effect

	// Run makes one call. run is the id of the run that makes it, "" outside of runs.
	// The value of the result is encoded to JSON. An error is the result of a tool that
	// has failed: its text goes to the caller. Run ends when ctx ends, and may be called
	// concurrently. It is nil for a skill. It may take the memory for its value with budget.Take.
	Run func(ctx context.Context, run string, args json.RawMessage) (any, error)
}

// Tools are the tools of a server. They may change while it works.
type Tools interface {
	Get(name string) (t Tool, known bool)
	Tools() []Tool
}

// Options configure a Conn.
type Options struct {
	Name    string // name of the server
	Info    Info
	Tools   Tools
	Texts   map[string]string // resources by URI: the files of the skills that Tools has
	Events  Events
	Answers *budget.Budget // limits the memory for the results of all calls; nil means unlimited
	Check   func() error   // returns an error if the server does not work; nil: it always works
	Closed  func()         // called once after Close and the last call; nil: nothing
	Redact  Redactor       // removes secrets from the errors of tools

	// Qualified means that scripts and packs name the tools only together with their server.
	// Otherwise, a configured tool could take the name of a built-in tool.
	Qualified bool
}

// Conn is a server of Go functions. It is safe for concurrent use.
type Conn struct {
	options Options
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

// New returns a server that works until Close.
func New(o Options) *Conn {
	c := &Conn{options: o, gone: make(chan struct{})}
	c.life, c.hangUp = context.WithCancelCause(context.Background())
	return c
}

// Log sends a message to the log of the server.
func (c *Conn) Log(level slog.Level, message string) { c.options.Events.Logf(level, "%s", message) }

// Info returns the description of the server.
func (c *Conn) Info() Info { return c.options.Info }

// ListTools returns the current tools.
func (c *Conn) ListTools(context.Context) ([]toolscript.Tool, error) {
	var listed []toolscript.Tool
	for _, t := range c.options.Tools.Tools() {
		t.Server, t.InProcess = c.options.Name, !c.options.Qualified
		listed = append(listed, t.Tool)
	}
	return listed, nil
}

// Start begins a call in a goroutine.
func (c *Conn) Start(t ToolCall) Started {
	about := toolscript.Error{Server: c.options.Name, Tool: t.Tool}
	known, ok := c.options.Tools.Get(t.Tool)
	if !ok || known.Run == nil {
		about.Kind, about.Err = toolscript.NotFound, errors.New("there is no such tool")
		t.Done(nil, &about)
		return EndedCall{}
	}
	if !c.begin() {
		about.Kind, about.Err = toolscript.Unavailable, errClosed
		t.Done(nil, &about)
		return EndedCall{}
	}
	return t.Go(func(ctx context.Context) (json.RawMessage, error) {
		defer c.calls.Done()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })()
		ctx, release := budget.Ensure(ctx)
		defer release()
		lease := c.options.Answers.Lease(ctx)
		before := lease.Bytes()
		value, err := c.run(ctx, known, t)
		read := lease.Bytes() - before // for the value, which is not needed after this
		result, err := c.answer(ctx, lease, value, err, about)
		lease.Drop(read)
		return result, err
	})
}

// ReportsEnd marks a connection that calls Done of a call when its tool has ended, even
// after Cancel.
func (c *Conn) ReportsEnd() {}

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

// Background runs work that is not part of a call, until Close.
func (c *Conn) Background(work func(context.Context)) {
	if !c.begin() {
		return
	}
	go func() {
		defer c.calls.Done()
		defer rescue.Catch(func(p *rescue.Error) {
			c.Log(slog.LevelError, fmt.Sprintf("panic of a tool in the background: %v\n%s", p.Reason, p.Stack))
		})
		work(c.life)
	}()
}

// run calls the function of a tool. A panic becomes an error of the call.
func (c *Conn) run(ctx context.Context, known Tool, t ToolCall) (value any, err error) {
	defer rescue.Catch(func(p *rescue.Error) {
		c.Log(slog.LevelError, fmt.Sprintf("panic in the tool %s: %v\n%s", t.Tool, p.Reason, p.Stack))
		err = errors.New("a fault of the tool ended the call; the log has its stack")
	})
	value, err = known.Run(ctx, t.Run, t.Args)
	return value, c.options.Redact.Error(err)
}

// Fetch reads one of the texts. For all other requests it returns an error: the server has neither
// lists of resources nor prompts.
func (c *Conn) Fetch(_ context.Context, o toolscript.FetchRequest, _ func()) (json.RawMessage, error) {
	if text, has := c.options.Texts[o.URI]; has && o.ID == toolscript.ReadResource {
		return toolscript.PlainJSON(map[string]any{"contents": []any{map[string]any{"uri": o.URI, "mimeType": "text/markdown", "text": text}}})
	}
	return nil, &toolscript.Error{Kind: toolscript.NotFound, Server: c.options.Name, Err: ErrNoCapability}
}

// Ping returns the error of Options.Check.
func (c *Conn) Ping(context.Context) error {
	if c.options.Check == nil {
		return nil
	}
	if err := c.options.Check(); err != nil {
		return &toolscript.Error{Kind: toolscript.Unavailable, Server: c.options.Name, Err: fmt.Errorf("%w: %w", ErrUnreachable, err)}
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
	return &toolscript.Error{Kind: toolscript.Unavailable, Server: c.options.Name, Err: errClosed}
}

// Stderr returns nothing: there is no process.
func (c *Conn) Stderr() []string { return nil }

// Close ends the calls in flight, and the server with the last of them.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.hangUp(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.options.Name, Err: errClosed})
		close(c.gone)
		go func() { // a tool that does not end at once must not delay the end of the gateway
			c.calls.Wait()
			if c.options.Closed != nil {
				c.options.Closed()
			}
		}()
	})
	return nil
}
