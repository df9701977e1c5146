package server

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Conn is a connection to one MCP server; *mcpclient.Conn is one. It is safe
// for concurrent use, and its methods, Close excepted, end when their ctx does.
// Errors are *toolscript.Error, which say what the caller should know.
type Conn interface {
	// Info is what the server said of itself in the handshake.
	Info() mcpclient.Info
	// ListTools asks for all of the server's tools, page by page.
	ListTools(ctx context.Context) ([]toolscript.Tool, error)
	// CallTool calls a tool by the server's own name for it and returns the
	// result as the server sent it. progress is called at each sign of progress
	// and must not block.
	CallTool(ctx context.Context, tool string, args json.RawMessage, progress func()) (json.RawMessage, error)
	// Fetch asks for what the server offers beside tools: a page of a list as
	// toolscript.Page in JSON, else the result as the server sent it. Of what it
	// has nothing, the error wraps mcpclient.ErrNotOffered. progress is as above.
	Fetch(ctx context.Context, o toolscript.Offered, progress func()) (json.RawMessage, error)
	// Ping asks whether the server still answers; whatever it answers is nil. The
	// error is of kind Timeout or Unavailable when it does not.
	Ping(ctx context.Context) error
	// Lost is closed when the connection has ended, for whatever reason.
	Lost() <-chan struct{}
	// Err is why it ended; nil while it is up.
	Err() error
	// Stderr is the end of what the server wrote to its standard error.
	Stderr() []string
	// Close ends the connection and whatever process belongs to it, within a
	// bound of its own.
	Close() error
}

// Dial connects to a server. ctx bounds the dialling alone, and a failed Dial
// leaves nothing behind. The functions of on must not block.
type Dial func(ctx context.Context, name string, cfg mcpclient.Config, on mcpclient.Events) (Conn, error)

// DialMCP is the Dial of real servers. A connection that ends with an error of
// kind Unauthorized leads to the state needs_auth.
func DialMCP(d mcpclient.Dialer) Dial {
	return func(ctx context.Context, name string, cfg mcpclient.Config, on mcpclient.Events) (Conn, error) {
		conn, err := d.Dial(ctx, name, cfg, on)
		if err != nil {
			return nil, err // not conn: a nil *mcpclient.Conn makes a Conn that is not nil
		}
		return conn, nil
	}
}
