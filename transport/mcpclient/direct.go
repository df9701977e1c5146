package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Start begins a call without waiting for the answer. Over stdio, the caller's
// goroutine writes the request and the goroutine that reads from the server handles
// the answer; no other goroutine is involved. Over HTTP, Start uses a goroutine. The
// errors are those of CallTool, except that only Cancel ends the call early.
func (c *Conn) Start(t upstream.ToolCall) upstream.Started {
	about := toolscript.Error{Server: c.name, Tool: t.Tool}
	if len(t.Args) == 0 {
		t.Args = json.RawMessage("{}")
	}
	if !isObject(t.Args) || !json.Valid(t.Args) {
		t.Done(nil, wrapError(about, toolscript.Invalid, errors.New("the arguments of a tool must be a JSON object")))
		return upstream.EndedCall{}
	}
	if process, ok := c.peer.(*stdio); ok && !c.dialect.modern() && t.Task == "" && !c.wants(t.Tool) {
		return c.startDirect(process, t, about)
	}
	return t.Go(func(ctx context.Context) (result json.RawMessage, err error) {
		err = upstream.ErrFault
		defer rescue.Catch(panicked(c.on))
		return c.callRounds(ctx, t, about)
	})
}

// startDirect writes the request without mcp-go. The filter passes the answer to
// calls.direct or calls.answer.
func (c *Conn) startDirect(to *stdio, t upstream.ToolCall, about toolscript.Error) upstream.Started {
	call := &sentCall{direct: true, sole: true, tool: t, about: about, conn: c, progress: t.Progress}
	if t.Held != nil {
		call.lease = c.answers.LeaseOf(t.Held)
	} else {
		call.lease = c.answers.Lease(t.Ctx)
	}
	if t.Watch == nil {
		call.watch.Store(watcherOf(t.Ctx))
	} else {
		call.watch.Store(&call.tool.Watch)
	}
	call.mark = to.mark()
	if !c.calls.add(call) {
		t.Done(nil, c.tooLate(about))
		return upstream.EndedCall{}
	}
	if _, err := to.proc.stdin.Write(callRequest(call, t)); err != nil {
		c.calls.complete(call, reply{err: notSent(about, err)})
	}
	return call
}

// finish delivers the reply to a call that did not go through mcp-go.
func (c *sentCall) finish(r reply) {
	defer rescue.Catch(panicked(c.conn.on)) // a panic of Done ends neither the connection nor other calls
	result, err := c.conn.resultOf(r, c)
	c.tool.Done(result, err)
}

// Cancel implements Started.
func (c *sentCall) Cancel(reason string, err error) {
	if c.conn.calls.complete(c, reply{err: err}) {
		_, _ = c.conn.peer.(*stdio).proc.stdin.Write(cancelled(c.id, reason)) // best effort: the caller already has its error
	}
}

// callRequest encodes the request of a call.
func callRequest(call *sentCall, t upstream.ToolCall) []byte {
	message := make([]byte, 0, 192+len(t.Tool)+len(t.Args))
	message = append(message, `{"jsonrpc":"2.0","id":`...)
	message = strconv.AppendInt(message, call.id, 10)
	message = append(message, `,"method":"tools/call","params":{"name":`...)
	message = appendText(message, t.Tool)
	message = appendMeta(message, call, t)
	message = append(message, `,"arguments":`...)
	message = appendLine(message, t.Args)
	return append(message, "}}\n"...)
}

// appendMeta appends the member _meta, if it is needed.
func appendMeta(to []byte, call *sentCall, t upstream.ToolCall) []byte {
	separator := `,"_meta":{`
	if t.Progress != nil {
		to = strconv.AppendInt(append(append(to, separator...), `"progressToken":`...), call.id, 10)
		separator = ","
	}
	if t.Trace != "" {
		to = appendText(append(append(to, separator...), `"traceparent":`...), t.Trace)
		separator = ","
	}
	if separator == "," {
		to = append(to, '}')
	}
	return to
}

// cancelled encodes the notification that a request was cancelled.
func cancelled(id int64, reason string) []byte {
	message := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
	message = appendText(append(message, `,"reason":`...), reason)
	return append(message, "}}\n"...)
}

// appendText appends a string in JSON.
func appendText(to []byte, text string) []byte {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b >= 0x7f {
			quoted, _ := json.Marshal(text) // a string always has a JSON form
			return append(to, quoted...)
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"')
}

// appendLine appends a JSON value without line breaks, because a line break ends a
// message. JSON strings contain none.
func appendLine(to []byte, value json.RawMessage) []byte {
	for _, b := range value {
		if b != '\n' && b != '\r' {
			to = append(to, b)
		}
	}
	return to
}

// resultOf converts a reply into the result or error of a call.
func (c *Conn) resultOf(r reply, of *sentCall) (json.RawMessage, error) {
	about := of.about
	switch {
	case r.lost:
		return nil, c.lostDuring(about, of, c.peer.reason())
	case r.err != nil:
		if classed := c.answerError(about, r.err); classed != nil {
			return nil, classed
		}
		return nil, r.err
	case r.failure != nil:
		return nil, c.failed(about, r.failure)
	}
	return c.toolResult(r.result, about)
}

// failed returns the error for a JSON-RPC error of the server.
func (c *Conn) failed(about toolscript.Error, failure *mcp.JSONRPCErrorDetails) error {
	about.Sent, about.RPCCode = toolscript.SentYes, failure.Code
	if failure.Code == mcp.URL_ELICITATION_REQUIRED {
		if pages := upstream.NewPagesError(c.words.Printable(failure.Message), failure.Data); pages != nil {
			about.Sent = toolscript.SentNo // the server wants the call again
			return wrapError(about, toolscript.ToolFailed, pages)
		}
	}
	return wrapError(about, toolscript.ToolFailed, errors.New(c.words.Printable(failure.Message)))
}

func (c *Conn) toolResult(result json.RawMessage, about toolscript.Error) (json.RawMessage, error) {
	about.Sent = toolscript.SentYes
	if !isObject(result) {
		return nil, wrapError(about, toolscript.ToolFailed, fmt.Errorf("the server answered with %s, which is not a tool result", c.words.Quote(result)))
	}
	return result, nil
}

// callRounds makes a call through mcp-go.
func (c *Conn) callRounds(ctx context.Context, t upstream.ToolCall, about toolscript.Error) (json.RawMessage, error) {
	ctx = withTrace(ctx, t.Trace)
	f := &follower{Conn: c, call: t, about: about}
	if t.Task != "" {
		result, err := f.resume(ctx, t.Task)
		if err != nil {
			return nil, err
		}
		return c.toolResult(result, about)
	}
	params, wanted := map[string]any{"name": t.Tool, "arguments": t.Args}, c.wants(t.Tool)
	if wanted {
		params["task"] = map[string]any{}
	}
	result, err := c.rounds(ctx, about, "tools/call", params, t.Progress)
	if err == nil && (wanted || c.dialect.modern()) {
		if task := newTask(result, c.dialect.modern()); task != nil {
			result, err = f.follow(ctx, task)
		}
	}
	if err != nil {
		return nil, err
	}
	return c.toolResult(result, about)
}

// CallTool calls a tool by the server's own name for it. args is a JSON object; empty
// means {}. The result is the server's, unchanged, with all its members: content,
// structuredContent, isError, _meta and others. progress, if not nil, is called for
// each progress notification, under the rules of Events.
//
// The call is limited by ctx only. When ctx ends, the server is notified. The error
// is a *toolscript.Error: ToolFailed for a JSON-RPC error, TooLarge, Unavailable if
// the connection broke, Timeout, Cancelled, Busy if the server has stopped reading or
// requests a pause, Unauthorized or Forbidden for the corresponding HTTP status, and
// Invalid if args is not an object.
func (c *Conn) CallTool(ctx context.Context, tool string, args json.RawMessage, progress func()) (result json.RawMessage, err error) {
	ctx, release := budget.Ensure(ctx)
	defer release()
	done := make(chan struct{})
	call := c.Start(upstream.ToolCall{Ctx: ctx, Tool: tool, Args: args, Progress: progress, Done: func(r json.RawMessage, e error) {
		result, err = r, e
		close(done)
	}})
	select {
	case <-done:
	case <-ctx.Done():
		call.Cancel(ctx.Err().Error(), noAnswer(ctx, toolscript.Error{Server: c.name, Tool: tool}, call))
		<-done
	}
	return result, err
}
