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
	"github.com/toolscript/toolscript/transport/inflight"
)

const (
	cancelTimeout = 2 * time.Second // for the notification that a request was cancelled
	retryAfter    = time.Second     // suggested to callers after a broken connection; the backoff of dialling starts at half of it
	lossTimeout   = time.Second     // between a failed request and the report of why the connection ended
)

// request sends one request and returns the server's result unchanged. It bypasses
// mcp-go's typed calls, which lose keywords of schemas and reject unknown kinds of
// content. about names the server and, if any, the tool in errors.
func (c *Conn) request(ctx context.Context, about toolscript.Error, method string, params map[string]any, progress func()) (json.RawMessage, error) {
	select {
	case <-c.Lost():
		return nil, c.tooLate(about)
	default:
	}
	ctx, release := inflight.Ensure(ctx)
	defer release()
	sending, stop := context.WithCancel(ctx)
	defer stop()
	call := c.calls.begin(progress, stop, c.answers.Lease(ctx))
	defer c.calls.end(call)
	call.watch.Store(watcherOf(ctx))
	call.trace = traceOf(ctx)
	send := func() (*transport.JSONRPCResponse, error) {
		request, err := c.dialect.request(call, method, params)
		if err != nil {
			return nil, err
		}
		response, err := c.peer.transport().SendRequest(sending, request)
		if direct := call.response.Load(); direct != nil {
			return direct, nil
		}
		return response, err
	}
	response, err := send()
	if c.mayRepeat(ctx, about, method, err) {
		response, err = send()
	}
	if err != nil {
		return nil, c.unanswered(ctx, about, call, err)
	}
	if call.oversized.Load() {
		return nil, wrapError(about, toolscript.TooLarge, errAnswerTooLarge)
	}
	if response.Error != nil {
		about.RPCCode = response.Error.Code
		return nil, wrapError(about, toolscript.ToolFailed, errors.New(c.words.clean(response.Error.Message)))
	}
	return response.Result, nil
}

// tooLate returns the error of a request that is made after the end of the
// connection.
func (c *Conn) tooLate(about toolscript.Error) error {
	why := c.peer.reason()
	var known *toolscript.Error
	if errors.As(why, &known) && known.Kind != toolscript.Unavailable {
		return named(known, about)
	}
	about.RetryAfter = retryAfter
	return wrapError(about, toolscript.Unavailable, &unreachableError{
		"the connection was lost before the call was sent (" + c.words.clean(why.Error()) + ")",
	})
}

var errAnswerTooLarge = fmt.Errorf("the answer is larger than %d MB; ask the tool for less at a time", maxMessage>>20)

// unanswered classifies the error of a request without an answer. If the caller
// cancelled it, unanswered notifies the server.
func (c *Conn) unanswered(ctx context.Context, about toolscript.Error, call *call, err error) error {
	switch {
	case errors.Is(err, errClosed), errors.Is(err, errBacklog):
		return notSent(about, err)
	case ctx.Err() != nil && !errors.Is(err, transport.ErrTransportClosed):
		c.cancel(call, ctx.Err().Error())
		return noAnswer(ctx, about)
	}
	if classed := c.remoteError(ctx, about, err); classed != nil {
		return classed
	}
	select { // the write fails shortly before the reason is known
	case <-c.Lost():
		err = c.peer.reason()
	case <-time.After(lossTimeout):
	}
	return c.lostDuring(about, err)
}

// notSent returns the error of a message that could not be written.
func notSent(about toolscript.Error, err error) error {
	about.RetryAfter = retryAfter
	if errors.Is(err, errBacklog) {
		return wrapError(about, toolscript.Busy, err)
	}
	return wrapError(about, toolscript.Unavailable, &unreachableError{errClosed.Error() + "; the call was not sent"})
}

// noAnswer returns the error of a call whose ctx has ended.
func noAnswer(ctx context.Context, about toolscript.Error) error {
	about.Err = errors.New("no answer in time, and the call was cancelled at the server; a longer \"timeout\" can be set for it in .toolscript.json")
	return contextError(ctx, &about)
}

// lostDuring returns the error of a call that was in flight when the connection
// ended.
func (c *Conn) lostDuring(about toolscript.Error, err error) error {
	var known *toolscript.Error
	if errors.As(err, &known) {
		return named(known, about)
	}
	about.RetryAfter = retryAfter
	return wrapError(about, toolscript.Unavailable, fmt.Errorf(
		"the connection was lost during the call (%w); whether the call was carried out is not known; try again in a moment", err))
}

// cancel notifies the server that a request was cancelled. mcp-go does so for its own
// calls only. Over HTTP, MCP 2026-07-28 uses the end of the HTTP request as the
// notification; older versions do not.
func (c *Conn) cancel(call *call, reason string) {
	if _, overHTTP := c.peer.(httpPeer); overHTTP && c.dialect.modern() {
		return
	}
	go func() {
		defer recovered(c.on)
		ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
		defer done()
		params := mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": call.id, "reason": reason}}
		_ = c.peer.transport().SendNotification(ctx, mcp.JSONRPCNotification{ // best effort: the caller already has its error
			JSONRPC:      mcp.JSONRPC_VERSION,
			Notification: mcp.Notification{Method: "notifications/cancelled", Params: params},
		})
	}()
}

// wrapError sets the kind and the cause of an error about a server or a tool.
func wrapError(about toolscript.Error, kind toolscript.Kind, err error) *toolscript.Error {
	about.Kind, about.Err = kind, err
	return &about
}

// contextError returns the error for the end of ctx. It returns late if the cause is
// only the deadline.
func contextError(ctx context.Context, late *toolscript.Error) error {
	err := toolscript.ContextError(ctx)
	if toolscript.KindOf(err) == toolscript.Timeout && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		late.Kind = toolscript.Timeout
		return late
	}
	return err
}
