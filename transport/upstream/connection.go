package upstream

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
)

// Connection is a connection to one server of any kind. It is safe for concurrent use. All methods except Start and Close end when their ctx ends. Errors are
// *toolscript.Error with a text for the caller.
type Connection interface {
	// Info returns the server's description of itself in the handshake.
	Info() Info
	// ListTools returns all of the server's tools and skills.
	ListTools(ctx context.Context) ([]toolscript.Tool, error)
	// Start calls a tool by the server's own name for it, without blocking; see
	// ToolCall. The end of t.Ctx may end the call.
	Start(t ToolCall) Started
	// Fetch requests resources or prompts: a list as toolscript.Page in JSON,
	// anything else as the server's result. The error wraps ErrNoCapability
	// if the server lacks the capability. progress is called for each progress
	// notification and must not block.
	Fetch(ctx context.Context, o toolscript.FetchRequest, progress func()) (json.RawMessage, error)
	// Ping checks whether the server answers; any answer returns nil. The error has
	// the kind Timeout or Unavailable if there is no answer, wraps
	// ErrUnreachable if the server cannot be reached, and has the kind
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

// Info is the server's description of itself in the handshake.
type Info struct {
	Title        string
	Icon         string // data URI of an image
	Version      string
	Instructions string
	Protocol     string // the negotiated version of MCP
}

// ErrNoCapability is wrapped by the error of Fetch if the server did not announce the
// requested capability in the handshake.
var ErrNoCapability = errors.New("the server lacks the capability")

// ErrUnreachable is wrapped by the error of a request that was certainly not sent
// because the server cannot be reached.
var ErrUnreachable = errors.New("the server cannot be reached")

// ErrFault is the reason for the end of a connection after a panic in one of its
// goroutines.
var ErrFault error = &toolscript.Error{
	Kind: toolscript.Internal,
	Err:  errors.New("a fault of toolscript ended the connection; the log has its stack"),
}
