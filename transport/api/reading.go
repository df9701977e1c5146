package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
)

const (
	// mostBodies is the maximum of memory for large bodies. Further large bodies wait.
	mostBodies = 128 << 20
	// smallBody is the length up to which a body need not wait. The number of connections
	// bounds small bodies.
	smallBody = 64 << 10
	// fetchedAhead is the number of bytes of a body that fasthttp reads before it calls a handler.
	fetchedAhead = 8 << 10
)

var errBodies = &toolscript.Error{
	Kind: toolscript.Busy, RetryAfter: time.Second,
	Err: errors.New("too many large requests are in progress; try again later"),
}

// readBody reads the body of a request whose header has passed the checks. The buffer
// grows with the bytes that arrive, so that a long Content-Length alone uses no memory.
func (x *exchange) readBody() error {
	stream := x.c.Context().RequestBodyStream()
	if stream == nil {
		return nil
	}
	size := x.c.Request().Header.ContentLength() // -1: chunked
	if size > bodyLimit {
		return refusals[http.StatusRequestEntityTooLarge]
	}
	most := size
	if size < 0 {
		most = bodyLimit + 1
	}
	var body []byte
	for len(body) < most {
		if len(body) == cap(body) {
			if err := x.growBody(&body, most); err != nil {
				return err
			}
		}
		n, err := stream.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadable(err)
		}
	}
	if len(body) > bodyLimit {
		return refusals[http.StatusRequestEntityTooLarge]
	}
	if size < 0 || len(body) == size {
		x.body, x.bodyRead = body, true
		return nil
	}
	return errMalformed
}

// growBody doubles the buffer. A large body first waits for memory; the client's time limit
// does not include that wait.
func (x *exchange) growBody(body *[]byte, most int) error {
	if len(*body) >= smallBody && x.turn == 0 {
		ctx, cancel := context.WithTimeoutCause(x.ctx, bodyWait, errBodies)
		defer cancel()
		if x.server.bodies.Acquire(ctx, int64(most)) != nil {
			return toolscript.ContextError(ctx)
		}
		x.turn = int64(most)
		_ = x.c.Context().Conn().SetReadDeadline(time.Now().Add(x.server.readTimeout)) // fails only on a closed connection
	}
	grown := make([]byte, len(*body), min(most, max(fetchedAhead, 2*cap(*body))))
	copy(grown, *body)
	*body = grown
	return nil
}

// unreadable returns the error for a body that did not arrive.
func unreadable(err error) error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return refusals[http.StatusRequestTimeout]
	}
	return errMalformed
}

// settleBody makes fasthttp close the connection after the answer if the body was not read
// completely. Otherwise the rest would be parsed as the next request.
func (x *exchange) settleBody() {
	ctx := x.c.Context()
	size := x.c.Request().Header.ContentLength()
	if ctx.RequestBodyStream() == nil || x.bodyRead || size >= 0 && size <= fetchedAhead {
		return
	}
	leaveUnread(ctx)
}

// leaveUnread makes fasthttp close the connection after the answer. The client can read the
// answer while it is still sending.
func leaveUnread(ctx *fasthttp.RequestCtx) {
	if c, ok := ctx.Conn().(*conn); ok {
		c.dismissed()
	}
	ctx.SetConnectionClose()
}
