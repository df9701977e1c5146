package mcpclient

import (
	"context"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Ping checks whether the server answers. Any answer counts, even an error: MCP up to version
// 2025-11-25 requires an answer to a ping, but later versions have no ping, and some servers have
// never supported it.
//
// The error has the kind Timeout if ctx ended before an answer arrived, Unavailable
// if there was none, and Unauthorized if the server requires credentials. Unlike
// other requests, Ping never ends the connection, because calls may be in flight.
func (c *Conn) Ping(ctx context.Context) error {
	about := toolscript.Error{Server: c.name}
	sending, stop := context.WithCancel(ctx)
	defer stop()
	call := &sentCall{stop: stop}
	c.calls.begin(call)
	defer c.calls.end(call)
	request, err := c.dialect.request(call, string(mcp.MethodPing), nil)
	if err != nil {
		return wrapError(about, toolscript.Internal, err)
	}
	var (
		known       *toolscript.Error
		login       *httptransport.UnauthorizedError
		refused     *httptransport.StatusError
		unreachable *httptransport.UnreachableError
		session     *httptransport.SessionError
		unreadable  *httptransport.UnreadableError
	)
	if _, err = exchange(sending, c.peer.transport(), call, request); errors.As(err, &session) {
		err = c.renew(ctx, session.Session) // the server has answered, but the next request needs a new session
	}
	switch {
	case err == nil, errors.Is(err, httptransport.ErrTooLarge), errors.As(err, &unreadable):
		return nil
	case ctx.Err() != nil:
		about.Err = errors.New("no answer to a ping in time")
		return contextError(ctx, &about)
	case errors.As(err, &known):
		return named(known, about)
	case errors.As(err, &login):
		return named(c.needsAuth(login), about)
	case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError:
		return nil
	case errors.As(err, &unreachable):
		return wrapError(about, toolscript.Unavailable, &unreachableError{c.redact.Printable(unreachable.Error())})
	default:
		return wrapError(about, toolscript.Unavailable, errors.New(c.redact.Printable(err.Error())))
	}
}

// unreachableError is ErrUnreachable with a reason.
type unreachableError struct{ text string }

func (e *unreachableError) Error() string { return e.text }

func (*unreachableError) Is(target error) bool { return target == upstream.ErrUnreachable }
