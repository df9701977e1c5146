package mcpclient

import (
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Start begins a call without waiting for the answer. Over stdio, the caller's goroutine writes
// the request, and the goroutine that reads from the server handles the answer. Over HTTP, Start
// uses a goroutine for each call. The errors are those of CallTool, but only Cancel ends the call
// early.
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
	return c.startRounds(t, about)
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
	if !c.calls.begin(call) {
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
