package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/transport/upstream"
)

// DialError is the reason for a failed connection, with the last lines of the
// server's standard error. Dial returns it wrapped in a *toolscript.Error.
type DialError struct {
	Err    error
	Stderr []string
}

// Error returns the reason, followed by the line of standard error that explains most; see telling.
func (e *DialError) Error() string {
	if len(e.Stderr) == 0 {
		return e.Err.Error()
	}
	return e.Err.Error() + ": " + telling(e.Stderr)
}

// Unwrap returns e.Err.
func (e *DialError) Unwrap() error { return e.Err }

// ParseDialError returns a DialError for the text and the standard error of a DialError that
// another process has sent.
func ParseDialError(text string, stderr []string) *DialError {
	if len(stderr) > 0 {
		text = strings.TrimSuffix(text, ": "+telling(stderr))
	}
	return &DialError{errors.New(text), stderr}
}

// peer is the server's end of a transport. Each type of server has its own
// implementation.
type peer interface {
	transport() transport.Interface
	lost() <-chan struct{} // closed when no more answers can arrive
	reason() error         // why the connection ended; valid after lost is closed
	stderr() []string      // the last lines of standard error
	stdoutLine() string    // a line of standard output that is not a message
	close() error          // ends the server gracefully, in bounded time
	abort() error          // ends the server quickly, before any call was made
}

// Dialer connects to servers. Its zero value is ready for use.
type Dialer upstream.Host

// Dial starts or contacts the server and performs the handshake. ctx limits the handshake only: its
// end does not affect an established connection.
//
// If Dial fails, it leaves no process of the server running, with one exception: if ctx is cancelled
// while a package manager installs the server, the installation continues in the background, because
// a half-finished installation would break every later start. At a deadline of ctx, the installation
// ends.
//
// The error is a *toolscript.Error: Unsupported or Invalid if a retry cannot help,
// Unauthorized if the server requires credentials, otherwise Unavailable, Timeout or
// Cancelled.
func (d Dialer) Dial(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (*Conn, error) {
	if cfg.Problem != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: cfg.Problem}
	}
	if ctx.Err() != nil {
		return nil, contextError(ctx, &toolscript.Error{Server: name, Err: errors.New("not started")})
	}
	c := &Conn{name: name, on: on, redact: upstream.NewRedactor(cfg), calls: newCalls(on), answers: d.Answers}
	if err := c.connect(ctx, d, cfg); err != nil {
		if c.peer == nil {
			return nil, c.dialError(ctx, err, nil)
		}
		if aborted := c.abort(ctx, d.Reaper); aborted != nil {
			on.Logf(slog.LevelError, "%v", aborted)
		}
		if c.wasStartled(ctx) {
			on.Logf(slog.LevelDebug, "the server has ended after a request of MCP %s, and starts again", upstream.Stateless)
			return d.Dial(ctx, name, cfg, without(on))
		}
		return nil, c.dialError(ctx, err, c.peer.stderr())
	}
	return c, nil
}

// abort ends the server of a failed Dial, or leaves its installation running in the background.
func (c *Conn) abort(ctx context.Context, r *proc.Reaper) error {
	s, process := c.peer.(*stdio)
	if !process || ctx.Err() == nil {
		return c.peer.abort()
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		if s.log.start.Manages() {
			return s.undo()
		}
		return s.abort()
	}
	left, err := s.leave(r)
	if left {
		c.on.Logf(slog.LevelWarn, "the server is still being installed; this goes on in the background, for at most %s", proc.LeaveTime)
		return nil
	}
	return errors.Join(err, s.abort())
}

// connect sets c.peer, which connects to the server, and performs the handshake.
func (c *Conn) connect(ctx context.Context, d Dialer, cfg upstream.Config) error {
	c.dialect.prepare(cfg.Protocol, c.on)
	if cfg.Type == upstream.Stdio {
		argv := append([]string{cfg.Command}, cfg.Args...)
		if install := proc.NewInstallation(argv, installKey(argv, environment(os.Environ(), cfg).vars)); install != nil {
			c.on.NoteStarting(proc.Waiting)
			if proc.AwaitLeft(ctx, install); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		process, err := d.startStdio(cfg, c.on, c.redact, c.calls)
		if err != nil {
			return onServer(err)
		}
		c.peer = process
		c.on.NoteStarting(process.log.start.Look)
		return c.handshake(ctx)
	}
	o, err := d.options(c.name, cfg, c.on)
	if err != nil {
		return err
	}
	o.Nameless, o.Deviates = c.calls.nameless, c.calls.odd.note
	c.credentials = cfg.Credentials()
	if cfg.Type == upstream.SSE {
		return c.connectSSE(ctx, o)
	}
	return c.connectHTTP(ctx, o)
}

// handshake negotiates the version of MCP and reads the server's capabilities.
func (c *Conn) handshake(ctx context.Context) error {
	wire := c.forProtocol()
	c.protocol = client.NewClient(wire, c.dialect.options()...)
	c.protocol.OnNotification(c.notified)
	if err := c.protocol.Start(context.Background()); err != nil { // this context lasts as long as the connection
		return err
	}
	if process, ok := c.peer.(*stdio); ok {
		process.serve(c.asked)
	} else if both, ok := wire.(transport.BidirectionalInterface); ok {
		both.SetRequestHandler(c.asked) // mcp-go's own handler answers unknown methods with an internal error
	}
	result, err := c.initialize(ctx)
	if err != nil {
		return err
	}
	c.announcesTools = result.Capabilities.Tools != nil
	c.offers = offersOf(result.Capabilities)
	tools, resources := result.Capabilities.Tools, result.Capabilities.Resources
	c.announces.Store(tools != nil && tools.ListChanged && (!c.offers.skills || resources != nil && resources.ListChanged))
	if result.Capabilities.Logging != nil {
		c.dialect.askLogs(toolscript.DefaultLogLevel)
	}
	c.info = upstream.Info{
		Title:        upstream.Printable(result.ServerInfo.Title),
		Icon:         iconOf(result.ServerInfo.Icons),
		Version:      upstream.Printable(result.ServerInfo.Version),
		Instructions: result.Instructions,
		Protocol:     result.ProtocolVersion,
	}
	if c.info.Title == "" {
		c.info.Title = upstream.Printable(result.ServerInfo.Name)
	}
	if c.dialect.modern() {
		go c.subscribe()
	}
	return nil
}

// onServer returns err with the kind Unavailable, or err itself if it already has a kind.
func onServer(err error) error {
	var e *toolscript.Error
	if errors.As(err, &e) {
		return e
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}

// dialError describes why the connection failed. lines are the complete standard error of the
// server, because the peer has already ended.
func (c *Conn) dialError(ctx context.Context, err error, lines []string) error {
	about := toolscript.Error{Server: c.name}
	fail := func(kind toolscript.Kind, err error) error {
		return wrapError(about, kind, &DialError{err, lines})
	}
	var version mcp.UnsupportedProtocolVersionError
	var refused *refusedVersion
	switch {
	case errors.As(err, &refused):
		return fail(toolscript.Unsupported, refused)
	case errors.As(err, &version):
		return fail(toolscript.Unsupported, fmt.Errorf("the server uses MCP version %q, which toolscript does not support", version.Version))
	case ctx.Err() != nil:
		about.Err = &DialError{errors.New(`no answer to "initialize"` + c.stdoutHint()), lines}
		return contextError(ctx, &about)
	case errors.Is(err, transport.ErrTransportClosed), errors.Is(err, errClosed):
		return fail(toolscript.Unavailable, fmt.Errorf("%s (%w)%s", c.endOfStart(), c.peer.reason(), c.stdoutHint()))
	}
	if known := c.dialRefused(err); known != nil {
		return named(known, about)
	}
	return fail(toolscript.Unavailable, fmt.Errorf("initialize: %s", c.redact.Printable(err.Error())))
}

func (c *Conn) endOfStart() string {
	if _, overHTTP := c.peer.(httpPeer); overHTTP {
		return "the connection ended during the handshake"
	}
	return "server exited during start"
}

// stdoutHint explains the most common reason for a failed handshake: the program is
// not an MCP server, or it logs to standard output.
func (c *Conn) stdoutHint() string {
	if c.peer == nil {
		return ""
	}
	line := strings.TrimSpace(c.peer.stdoutLine())
	if line == "" {
		return ""
	}
	return fmt.Sprintf("; server prints text on stdout: %q: is it an MCP server for stdio?", line)
}
