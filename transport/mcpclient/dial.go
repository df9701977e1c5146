package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/reaper"
)

// Events is what a connection tells unasked; a nil function is not called. The
// functions are called concurrently, before Dial has returned too, and on the
// goroutines that read from the server: one that blocks holds up every answer
// behind it.
type Events struct {
	ToolsChanged func()                                 // the server's list of tools is another one now
	Log          func(level slog.Level, message string) // the server's own log, and what is odd about it
}

func (e Events) toolsChanged() {
	if e.ToolsChanged != nil {
		e.ToolsChanged()
	}
}

func (e Events) logf(level slog.Level, format string, args ...any) {
	defer func() { _ = recover() }() // where the log panics there is nobody left to tell
	if e.Log != nil {
		e.Log(level, fmt.Sprintf(format, args...))
	}
}

// DialError is why a server did not get as far as a connection, with the last
// lines it wrote on its standard error. Dial returns it inside a
// *toolscript.Error.
type DialError struct {
	Err    error
	Stderr []string
}

// Error is the reason, followed by the last thing the server said about it.
func (e *DialError) Error() string {
	if len(e.Stderr) == 0 {
		return e.Err.Error()
	}
	return e.Err.Error() + ": " + e.Stderr[len(e.Stderr)-1]
}

func (e *DialError) Unwrap() error { return e.Err }

// peer is the far end of a transport and how its end is noticed. There is one
// kind per type of server.
type peer interface {
	transport() transport.Interface
	lost() <-chan struct{} // closed when no more answers can come
	reason() error         // why, once lost is closed
	stderr() []string      // its last words
	chatter() string       // a line it printed where only messages may be
	close() error          // ends it the polite way, within a bound
	abort() error          // ends it quickly: there is nothing to lose yet
}

// Dialer connects to servers. Its zero value is ready for use.
type Dialer struct {
	// Reaper, if not nil, ends the processes of stdio servers when this program
	// is killed.
	Reaper *reaper.Reaper

	// RoundTripper, if not nil, wraps the way to each HTTP and SSE server: it
	// may add credentials to requests and answer what the server asks for with
	// a 401 or 403. base knows the proxies and certificates of the environment.
	// Redirects do not happen below it, and each request that it sees is one to
	// the server's own origin.
	//
	// An error of its RoundTrip that is or wraps a *toolscript.Error of kind
	// Unauthorized ends a Dial, and a connection, with that error; so does a 401
	// that it lets pass. Any other error is one of a request.
	RoundTripper func(server string, cfg Config, base http.RoundTripper) http.RoundTripper
}

// Dial is the Dial of a Dialer that adds no credentials.
func Dial(ctx context.Context, name string, cfg Config, on Events) (*Conn, error) {
	return Dialer{}.Dial(ctx, name, cfg, on)
}

// Dial starts the server or reaches out to it, and shakes hands. ctx bounds
// that alone: its end is not the end of a connection that has come about. When
// Dial fails, nothing of the server is left running.
//
// The error is a *toolscript.Error: Unsupported and Invalid when another try
// cannot help, Unauthorized when it needs credentials, else Unavailable, Timeout
// or Cancelled.
func (d Dialer) Dial(ctx context.Context, name string, cfg Config, on Events) (*Conn, error) {
	if cfg.Problem != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: cfg.Problem}
	}
	if ctx.Err() != nil {
		return nil, contextError(ctx, &toolscript.Error{Server: name, Err: errors.New("not started")})
	}
	c := &Conn{name: name, on: on, words: newCleaner(cfg.Env), calls: newCalls()}
	var err error
	switch cfg.Type {
	case Stdio:
		c.peer, err = d.startStdio(cfg, on, c.words, c.calls.tooLarge)
	default:
		err = &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf(
			"this version of toolscript connects to %s servers only, and this one is of type %q; "+
				`give it a "command", or remove it from .toolscript.json`, Stdio, cfg.Type)}
	}
	if err != nil {
		return nil, onServer(name, err)
	}
	if err := c.handshake(ctx); err != nil {
		if aborted := c.peer.abort(); aborted != nil {
			on.logf(slog.LevelError, "%v", aborted)
		}
		return nil, c.dialError(ctx, err)
	}
	return c, nil
}

// onServer names the server in an error of kind Unavailable, or of its own kind.
func onServer(name string, err error) error {
	var e *toolscript.Error
	if errors.As(err, &e) {
		e.Server = name
		return e
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Err: err}
}

// handshake is the protocol's initialize. The newest version that has one is
// pinned: asked to negotiate, mcp-go first sends a method of the protocol
// without it, and servers that ignore what they do not know cost five seconds.
func (c *Conn) handshake(ctx context.Context) error {
	protocol := client.NewClient(c.peer.transport(), client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	protocol.OnNotification(c.notified)
	if err := protocol.Start(context.Background()); err != nil { // the context is that of the connection's whole life
		return err
	}
	hello := mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: mcp.LATEST_LEGACY_PROTOCOL_VERSION,
		ClientInfo:      mcp.Implementation{Name: "toolscript", Version: toolscript.Version},
	}}
	result, err := protocol.Initialize(ctx, hello)
	if err != nil {
		return err
	}
	c.announcesTools = result.Capabilities.Tools != nil
	c.info = Info{
		Title:        printable(result.ServerInfo.Title),
		Version:      printable(result.ServerInfo.Version),
		Instructions: result.Instructions,
		Protocol:     result.ProtocolVersion,
	}
	if c.info.Title == "" {
		c.info.Title = printable(result.ServerInfo.Name)
	}
	return nil
}

// dialError says why the handshake failed. The peer has been ended already, so
// what it wrote is complete.
func (c *Conn) dialError(ctx context.Context, err error) error {
	lines := c.peer.stderr()
	fail := func(kind toolscript.Kind, err error) error {
		return &toolscript.Error{Kind: kind, Server: c.name, Err: &DialError{err, lines}}
	}
	var version mcp.UnsupportedProtocolVersionError
	switch {
	case errors.As(err, &version):
		return fail(toolscript.Unsupported, fmt.Errorf("the server speaks MCP version %q, which this program does not", version.Version))
	case ctx.Err() != nil:
		return contextError(ctx, &toolscript.Error{Server: c.name, Err: &DialError{
			errors.New(`no answer to "initialize"` + c.chatterHint()), lines,
		}})
	case errors.Is(err, transport.ErrTransportClosed), errors.Is(err, errClosed):
		return fail(toolscript.Unavailable, fmt.Errorf("server exited during start (%w)%s", c.peer.reason(), c.chatterHint()))
	default:
		return fail(toolscript.Unavailable, fmt.Errorf("initialize: %s", c.words.clean(err.Error())))
	}
}

// chatterHint explains the commonest reason of a handshake that goes nowhere: a
// program that is no MCP server, or one that logs to the wrong stream.
func (c *Conn) chatterHint() string {
	line := strings.TrimSpace(c.peer.chatter())
	if line == "" {
		return ""
	}
	return fmt.Sprintf("; server prints text on stdout: %q: is it an MCP server for stdio?", line)
}
