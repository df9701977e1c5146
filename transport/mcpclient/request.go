package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

const (
	cancelTimeout = 2 * time.Second // for telling the server that nobody waits any more
	retryAfter    = time.Second     // what a caller whose connection broke is told; redialling starts at half of it
	lossTimeout   = time.Second     // between a request that fails and the news of why the connection ended
)

// request sends one request past mcp-go's typed calls, whose results lose the
// keywords of schemas and fail on content they do not know, and returns the
// result as the server wrote it. about names the server, and the tool if any,
// in the errors.
func (c *Conn) request(ctx context.Context, about toolscript.Error, method string, params map[string]any, progress func()) (json.RawMessage, error) {
	call := c.calls.begin(progress)
	defer c.calls.end(call)
	send := func() (*transport.JSONRPCResponse, error) {
		request, err := c.dialect.request(call, method, params)
		if err != nil {
			return nil, err
		}
		return c.peer.transport().SendRequest(ctx, request)
	}
	response, err := send()
	if c.mayRepeat(ctx, about, method, err) {
		response, err = send()
	}
	if err != nil {
		return nil, c.unanswered(ctx, about, call, err)
	}
	if call.oversized.Load() {
		return nil, because(about, toolscript.TooLarge, errAnswerTooLarge)
	}
	if response.Error != nil {
		about.RPCCode = response.Error.Code
		return nil, because(about, toolscript.ToolFailed, errors.New(c.words.clean(response.Error.Message)))
	}
	return response.Result, nil
}

var errAnswerTooLarge = fmt.Errorf("the answer is larger than %d MB; ask the tool for less at a time", maxMessage>>20)

// unanswered classes the error of a request that got no answer, and tells the
// server when that is because the caller went away.
func (c *Conn) unanswered(ctx context.Context, about toolscript.Error, call *call, err error) error {
	switch {
	case errors.Is(err, errBacklog):
		about.RetryAfter = retryAfter
		return because(about, toolscript.Busy, err)
	case ctx.Err() != nil && !errors.Is(err, transport.ErrTransportClosed):
		c.cancel(call, ctx.Err().Error())
		about.Err = errors.New("no answer in time, and the server was told to stop; a longer \"timeout\" can be set for it in .toolscript.json")
		return contextError(ctx, &about)
	}
	if classed := c.remoteError(ctx, about, err); classed != nil {
		return classed
	}
	select { // the write fails a moment before the reason is known
	case <-c.Lost():
		err = c.peer.reason()
	case <-time.After(lossTimeout):
	}
	var known *toolscript.Error
	if errors.As(err, &known) {
		return named(known, about)
	}
	about.RetryAfter = retryAfter
	return because(about, toolscript.Unavailable, fmt.Errorf(
		"the connection was lost during the call (%w); whether the call was carried out is not known; try again in a moment", err))
}

// cancel tells the server that an answer is no longer wanted. mcp-go does so for
// its own calls only. Over HTTP, MCP 2026-07-28 takes the end of the request for
// the notice, and older versions do not.
func (c *Conn) cancel(call *call, reason string) {
	if _, overHTTP := c.peer.(far); overHTTP && c.dialect.modern() {
		return
	}
	go func() {
		defer recovered(c.on)
		ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
		defer done()
		params := mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": call.id, "reason": reason}}
		_ = c.peer.transport().SendNotification(ctx, mcp.JSONRPCNotification{ // a courtesy; nobody is left to tell
			JSONRPC:      mcp.JSONRPC_VERSION,
			Notification: mcp.Notification{Method: "notifications/cancelled", Params: params},
		})
	}()
}

// because completes an error about a server or a tool.
func because(about toolscript.Error, kind toolscript.Kind, err error) *toolscript.Error {
	about.Kind, about.Err = kind, err
	return &about
}

// contextError says with a kind why ctx ended. late says it better than
// "no answer in time" when nothing but the time was over.
func contextError(ctx context.Context, late *toolscript.Error) error {
	err := toolscript.ContextError(ctx)
	if toolscript.KindOf(err) == toolscript.Timeout && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		late.Kind = toolscript.Timeout
		return late
	}
	return err
}
