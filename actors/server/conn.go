package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Conn is a connection to one server: *mcpclient.Conn, *builtin.Conn or *hub.Conn. It is safe for
// concurrent use. All methods except Start and Close end when their ctx ends. Errors are
// *toolscript.Error with a text for the caller.
type Conn interface {
	// Info returns the server's description of itself in the handshake.
	Info() upstream.Info
	// ListTools returns all of the server's tools and skills.
	ListTools(ctx context.Context) ([]toolscript.Tool, error)
	// Start calls a tool by the server's own name for it, without blocking; see
	// upstream.ToolCall. The end of t.Ctx may end the call.
	Start(t upstream.ToolCall) upstream.Started
	// Fetch requests resources or prompts: a list as toolscript.Page in JSON,
	// anything else as the server's result. The error wraps mcpclient.ErrNoCapability
	// if the server lacks the capability. progress is called for each progress
	// notification and must not block.
	Fetch(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error)
	// Ping checks whether the server answers; any answer returns nil. The error has
	// the kind Timeout or Unavailable if there is no answer, wraps
	// upstream.ErrUnreachable if the server cannot be reached, and has the kind
	// Unauthorized if the server requires credentials. Ping does not end the
	// connection.
	Ping(ctx context.Context) error
	// Lost returns a channel that is closed when the connection has ended for any
	// reason.
	Lost() <-chan struct{}
	// Err returns why the connection ended, nil while it is up.
	Err() error
	// Stderr returns the last lines of the server's standard error.
	Stderr() []string
	// Close ends the connection and its process, if any, in bounded time.
	Close() error
}

// Dial connects to a server. ctx limits only the dial. A failed Dial leaves no
// process or connection behind. The functions of on must not block.
type Dial func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (Conn, error)

// DialAll returns the Dial for MCP servers, for servers of built-in tools, and for shared
// servers. Without shared, a server that is configured as shared is refused. Servers of a
// fleet are refused; see DialFleet.
func DialAll(d mcpclient.Dialer, b builtin.Dialer, shared Dial) Dial {
	mcp := DialMCP(d)
	return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (Conn, error) {
		switch {
		case cfg.Shared != "" && shared == nil:
			return nil, &toolscript.Error{Kind: toolscript.Unsupported, Server: name, Err: errors.New(`this program has no hub; remove "shared" from the server`)}
		case cfg.Shared != "":
			return shared(ctx, name, cfg, on)
		case cfg.Type == upstream.Fleet:
			return nil, &toolscript.Error{Kind: toolscript.Unsupported, Server: name, Err: errors.New(`this program uses no fleet; remove the server, or define it without "fleet"`)}
		case cfg.Type != upstream.Builtin:
			return mcp(ctx, name, cfg, on)
		}
		conn, err := b.Dial(ctx, name, cfg, on)
		if err != nil {
			return nil, err // a nil *builtin.Conn would make a non-nil Conn
		}
		return conn, nil
	}
}

// DialMCP returns the Dial for MCP servers. A connection that ends with an error of
// kind Unauthorized leads to the state needs_auth.
func DialMCP(d mcpclient.Dialer) Dial {
	return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (Conn, error) {
		conn, err := d.Dial(ctx, name, cfg, on)
		if err != nil {
			return nil, err // a nil *mcpclient.Conn would make a non-nil Conn
		}
		return conn, nil
	}
}

// Dialled is like Dial, but returns the connection type of one transport.
type Dialled[C Conn] func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (C, error)

// DialFleet returns the Dial that opens servers of a fleet with fleet, the Dial of a hub.Fleet,
// and all other servers with other.
func DialFleet[C Conn](fleet Dialled[C], other Dial) Dial {
	dial := DialWith(fleet)
	return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (Conn, error) {
		if cfg.Type == upstream.Fleet {
			return dial(ctx, name, cfg, on)
		}
		return other(ctx, name, cfg, on)
	}
}

// DialTypes returns the Dial that opens the servers of some types with own, and all others
// with other. The keys of own are values of Config.Type.
func DialTypes(own map[string]Dial, other Dial) Dial {
	return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (Conn, error) {
		if dial, has := own[cfg.Type]; has {
			return dial(ctx, name, cfg, on)
		}
		return other(ctx, name, cfg, on)
	}
}

// DialWith returns the Dial of a transport whose package this one does not import, such as
// that of a hub: a program without a hub then does not contain NATS.
func DialWith[C Conn](dial Dialled[C]) Dial {
	return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (Conn, error) {
		conn, err := dial(ctx, name, cfg, on)
		if err != nil {
			return nil, upstream.NewConcealer(cfg).Error(err) // a nil C would make a non-nil Conn
		}
		return conn, nil
	}
}
