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
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	cancelTimeout = 2 * time.Second // for the notification that a request was cancelled
	retryAfter    = time.Second     // RetryAfter of errors after a broken connection; the backoff of dialling starts at half of it
	lossTimeout   = time.Second     // how long a failed request waits for the reason why the connection ended
)

// request sends one request and returns the server's result unchanged. It does not use mcp-go's
// typed calls, because they lose keywords of schemas and reject unknown kinds of content. about has
// the server and the tool for errors.
func (c *Conn) request(ctx context.Context, about toolscript.Error, method string, params map[string]any, progress func()) (json.RawMessage, error) {
	select {
	case <-c.Lost():
		return nil, c.tooLate(about)
	default:
	}
	ctx, release := budget.Ensure(ctx)
	defer release()
	sending, stop := context.WithCancel(ctx)
	defer stop()
	call := &sentCall{progress: progress, stop: stop, lease: c.answers.Lease(ctx), conn: c, sole: isSole(method)}
	c.calls.begin(call)
	defer c.calls.end(call)
	if process, ok := c.peer.(*stdio); ok {
		call.mark = process.mark()
	}
	call.watch.Store(watcherOf(ctx))
	call.trace = traceOf(ctx)
	send := func() (*transport.JSONRPCResponse, error) {
		request, err := c.dialect.request(call, method, params)
		if err != nil {
			return nil, err
		}
		return exchange(sending, c.peer.transport(), call, request)
	}
	response, err := send()
	if c.mayRepeat(ctx, about, method, err) {
		response, err = send()
	}
	if err != nil {
		return nil, c.unanswered(ctx, about, call, err)
	}
	if response.Error != nil {
		return nil, c.failed(about, response.Error)
	}
	return response.Result, nil
}

// exchange sends a request through mcp-go's transport. Over stdio, the answer comes from the filter.
func exchange(ctx context.Context, wire transport.Interface, call *sentCall, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := wire.SendRequest(ctx, request)
	r := call.outcome.Load()
	switch {
	case r == nil:
		return response, err
	case r.err != nil:
		return nil, r.err
	}
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: request.ID, Result: r.result, Error: r.failure}, nil
}

// tooLate returns the error for a request after the end of the connection.
func (c *Conn) tooLate(about toolscript.Error) error {
	about.Sent = toolscript.SentNo
	why := c.peer.reason()
	var known *toolscript.Error
	if errors.As(why, &known) && known.Kind != toolscript.Unavailable {
		return named(known, about)
	}
	about.RetryAfter = retryAfter
	return wrapError(about, toolscript.Unavailable, &unreachableError{
		"the connection was lost before the call was sent (" + c.redact.Printable(why.Error()) + ")",
	})
}

var errAnswerTooLarge = fmt.Errorf("the answer is larger than %d MB; ask the tool for less at a time", maxMessage>>20)

// unanswered classifies the error of a request without an answer. If the caller has cancelled the
// request, unanswered notifies the server.
func (c *Conn) unanswered(ctx context.Context, about toolscript.Error, call *sentCall, err error) error {
	switch {
	case errors.Is(err, errClosed), errors.Is(err, errBacklog):
		return notSent(about, err)
	}
	if classed := c.answerError(about, err); classed != nil {
		return classed
	}
	switch {
	case ctx.Err() != nil && !errors.Is(err, transport.ErrTransportClosed):
		c.cancel(call, ctx.Err().Error())
		return noAnswer(ctx, about, call)
	}
	if classed := c.remoteError(ctx, about, err); classed != nil {
		return classed
	}
	select { // a write may fail shortly before the reason is known
	case <-c.Lost():
		err = c.peer.reason()
	case <-time.After(lossTimeout):
	}
	return c.lostDuring(about, call, err)
}

// notSent returns the error for a message that could not be written.
func notSent(about toolscript.Error, err error) error {
	about.RetryAfter, about.Sent = retryAfter, toolscript.SentNo
	if errors.Is(err, errBacklog) {
		return wrapError(about, toolscript.Busy, err)
	}
	return wrapError(about, toolscript.Unavailable, &unreachableError{errClosed.Error() + "; the call was not sent"})
}

// noAnswer returns the error for a call whose ctx has ended.
func noAnswer(ctx context.Context, about toolscript.Error, call upstream.Started) error {
	about.Sent = toolscript.SentUnknown
	about.Err = errors.New("no answer in time, and the call was cancelled at the server; " + toolscript.UnknownOutcome + Unanswered(call))
	return contextError(ctx, &about)
}

// Unanswered returns the end of a sentence about a call without an answer: what the server has printed
// during the call, and how to set a longer time limit, unless the output shows another cause.
func Unanswered(call upstream.Started) string {
	printed, failure := "", false
	if p, ok := call.(Printer); ok {
		printed, failure = p.Printed()
	}
	if failure {
		return printed
	}
	return printed + `; a longer "timeout" can be set for the server in .toolscript.json`
}

// lostDuring returns the error for a call that was in flight when the connection ended.
func (c *Conn) lostDuring(about toolscript.Error, call *sentCall, err error) error {
	about.Sent = toolscript.SentUnknown
	var known *toolscript.Error
	if errors.As(err, &known) {
		return named(known, about)
	}
	about.RetryAfter = retryAfter
	printed, _ := call.Printed()
	return wrapError(about, toolscript.Unavailable, fmt.Errorf("the connection was lost during the call (%w)%s; %s", err, printed, toolscript.UnknownOutcome))
}

// cancel notifies the server that a request was cancelled, because mcp-go only does so for its own
// calls. In MCP 2026-07-28 over HTTP it sends nothing: there the end of the HTTP request is the
// notification.
func (c *Conn) cancel(call *sentCall, reason string) {
	if _, overHTTP := c.peer.(httpPeer); overHTTP && c.dialect.modern() {
		return
	}
	go func() {
		defer rescue.Catch(panicked(c.on))
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

// contextError returns the error for the end of ctx. It returns late if ctx has ended at its deadline.
func contextError(ctx context.Context, late *toolscript.Error) error {
	err := toolscript.ContextError(ctx)
	if toolscript.KindOf(err) == toolscript.Timeout && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		late.Kind = toolscript.Timeout
		return late
	}
	return err
}

// answerError returns the error for an answer that has arrived but is too large or cannot be read. It
// returns nil if err is about something else.
func (c *Conn) answerError(about toolscript.Error, err error) error {
	about.RetryAfter, about.Sent = 0, toolscript.SentYes
	var unreadable *httptransport.UnreadableError
	switch {
	case errors.Is(err, httptransport.ErrTooLarge):
		return wrapError(about, toolscript.TooLarge, errAnswerTooLarge)
	case errors.As(err, &unreadable):
		return wrapError(about, toolscript.ToolFailed, errors.New(c.unreadable(unreadable)))
	default:
		return nil
	}
}

func (c *Conn) unreadable(err *httptransport.UnreadableError) string {
	return err.Error() + ": " + c.redact.Quote([]byte(err.Text))
}
