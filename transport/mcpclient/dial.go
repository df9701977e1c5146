package mcpclient

import (
	"context"
	"encoding/json"
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
	ToolsChanged     func()                                 // the server's list of tools is another one now
	ResourcesChanged func()                                 // the same of its resources
	PromptsChanged   func()                                 // and of its prompts
	Log              func(level slog.Level, message string) // the server's own log, and what is odd about it

	// Elicit asks a person what the server wants to know, and Sample a language
	// model; both take the parameters of the server's request and return the
	// result, as MCP has them. ctx ends with the call that the question belongs
	// to, or with the connection. Unlike the others they may block. Where one is
	// nil the server learns in the handshake that there is nobody to ask, and
	// gets a refusal if it asks all the same.
	Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	Sample func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

func (e Events) changed(tell func()) {
	if tell != nil {
		tell()
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
	c := &Conn{name: name, on: on, words: newCleaner(secrets(cfg)), calls: newCalls()}
	if err := c.connect(ctx, d, cfg); err != nil {
		if c.peer == nil {
			return nil, c.dialError(ctx, err, nil)
		}
		if aborted := c.peer.abort(); aborted != nil {
			on.logf(slog.LevelError, "%v", aborted)
		}
		return nil, c.dialError(ctx, err, c.peer.stderr())
	}
	return c, nil
}

// connect makes the peer and shakes hands with it.
func (c *Conn) connect(ctx context.Context, d Dialer, cfg Config) error {
	c.dialect.prepare(cfg.Protocol, c.on)
	if cfg.Type == Stdio {
		process, err := d.startStdio(cfg, c.on, c.words, c.calls.tooLarge)
		if err != nil {
			return onServer(err)
		}
		c.peer = process
		return c.handshake(ctx)
	}
	o, err := d.options(c.name, cfg, c.on)
	if err != nil {
		return err
	}
	for name := range cfg.Headers {
		c.ownAuthorization = c.ownAuthorization || strings.EqualFold(name, "Authorization")
	}
	if cfg.Type == SSE {
		return c.connectSSE(ctx, o)
	}
	return c.connectHTTP(ctx, o)
}

// handshake agrees with the server on a version of MCP.
func (c *Conn) handshake(ctx context.Context) error {
	wire := c.peer.transport()
	c.protocol = client.NewClient(wire, c.dialect.options()...)
	c.protocol.OnNotification(c.notified)
	if err := c.protocol.Start(context.Background()); err != nil { // the context is that of the connection's whole life
		return err
	}
	if both, ok := wire.(transport.BidirectionalInterface); ok {
		both.SetRequestHandler(c.asked) // mcp-go's own answers what it does not know with an internal error
	}
	result, err := c.initialize(ctx)
	if err != nil {
		return err
	}
	c.announcesTools = result.Capabilities.Tools != nil
	c.offers = offersOf(result.Capabilities)
	c.info = Info{
		Title:        printable(result.ServerInfo.Title),
		Version:      printable(result.ServerInfo.Version),
		Instructions: result.Instructions,
		Protocol:     result.ProtocolVersion,
	}
	if c.info.Title == "" {
		c.info.Title = printable(result.ServerInfo.Name)
	}
	if c.dialect.modern() {
		go c.subscribe()
	}
	return nil
}

// onServer gives an error the kind Unavailable, unless it has one of its own.
func onServer(err error) error {
	var e *toolscript.Error
	if errors.As(err, &e) {
		return e
	}
	return &toolscript.Error{Kind: toolscript.Unavailable, Err: err}
}

// initialize is the protocol's initialize, or what has taken its place.
func (c *Conn) initialize(ctx context.Context) (*mcp.InitializeResult, error) {
	result, err := c.protocol.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: c.dialect.preferred(), ClientInfo: self,
	}})
	if err != nil {
		return nil, err
	}
	c.dialect.agree(result.ProtocolVersion)
	return result, nil
}

// dialError says why no connection has come about. The peer has been ended
// already, so what it wrote, lines, is complete.
func (c *Conn) dialError(ctx context.Context, err error, lines []string) error {
	about := toolscript.Error{Server: c.name}
	fail := func(kind toolscript.Kind, err error) error {
		return because(about, kind, &DialError{err, lines})
	}
	var version mcp.UnsupportedProtocolVersionError
	switch {
	case errors.As(err, &version):
		return fail(toolscript.Unsupported, fmt.Errorf("the server speaks MCP version %q, which this program does not", version.Version))
	case ctx.Err() != nil:
		about.Err = &DialError{errors.New(`no answer to "initialize"` + c.chatterHint()), lines}
		return contextError(ctx, &about)
	case errors.Is(err, transport.ErrTransportClosed), errors.Is(err, errClosed):
		return fail(toolscript.Unavailable, fmt.Errorf("%s (%w)%s", c.endOfStart(), c.peer.reason(), c.chatterHint()))
	}
	if known := c.dialRefused(err); known != nil {
		return named(known, about)
	}
	return fail(toolscript.Unavailable, fmt.Errorf("initialize: %s", c.words.clean(err.Error())))
}

func (c *Conn) endOfStart() string {
	if _, overHTTP := c.peer.(far); overHTTP {
		return "the connection ended during the handshake"
	}
	return "server exited during start"
}

// chatterHint explains the commonest reason of a handshake that goes nowhere: a
// program that is no MCP server, or one that logs to the wrong stream.
func (c *Conn) chatterHint() string {
	if c.peer == nil {
		return ""
	}
	line := strings.TrimSpace(c.peer.chatter())
	if line == "" {
		return ""
	}
	return fmt.Sprintf("; server prints text on stdout: %q: is it an MCP server for stdio?", line)
}
