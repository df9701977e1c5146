package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// isObject reports whether a valid JSON value is an object. It checks the first byte
// only.
func isObject(value json.RawMessage) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	return len(value) > 0 && value[0] == '{'
}

// failed returns the error for a JSON-RPC error of the server.
func (c *Conn) failed(about toolscript.Error, failure *mcp.JSONRPCErrorDetails) error {
	about.Sent, about.RPCCode = toolscript.SentYes, failure.Code
	if failure.Code == mcp.URL_ELICITATION_REQUIRED {
		if pages := upstream.NewPagesError(c.redact.Printable(failure.Message), failure.Data); pages != nil {
			about.Sent = toolscript.SentNo // the server has not carried out the call and asks for it again
			return wrapError(about, toolscript.ToolFailed, pages)
		}
	}
	return wrapError(about, toolscript.ToolFailed, errors.New(c.redact.Printable(failure.Message)))
}

func (c *Conn) toolResult(result json.RawMessage, about toolscript.Error) (json.RawMessage, error) {
	about.Sent = toolscript.SentYes
	if !isObject(result) {
		return nil, wrapError(about, toolscript.ToolFailed, fmt.Errorf("the server answered with %s, which is not a tool result", c.redact.Quote(result)))
	}
	return result, nil
}

// startRounds makes the call in a goroutine.
func (c *Conn) startRounds(t upstream.ToolCall, about toolscript.Error) upstream.Started {
	return t.Go(func(ctx context.Context) (result json.RawMessage, err error) {
		err = upstream.ErrFault
		defer rescue.Catch(panicked(c.on))
		return c.callRounds(ctx, t, about)
	})
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

// CallTool calls a tool. tool is the server's own name for the tool. args is a JSON object; empty
// args mean {}. CallTool returns the result of the server unchanged, with all members: content,
// structuredContent, isError, _meta and others. If progress is not nil, CallTool calls it for each
// progress notification, under the rules of Events.
//
// Only ctx limits the call. When ctx ends, CallTool notifies the server. The error is a
// *toolscript.Error: ToolFailed for a JSON-RPC error, TooLarge, Unavailable if the connection
// broke, Timeout, Cancelled, Busy if the server has stopped reading or asks for a pause,
// Unauthorized or Forbidden for the corresponding HTTP status, and Invalid if args is not an
// object.
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
