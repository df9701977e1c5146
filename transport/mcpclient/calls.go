package mcpclient

import (
	"bytes"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// firstID is below all of our request ids. Some servers, such as proxies, print requests of other
// clients, whose ids begin at 0 or 1. Ids of six digits look the same in every number format.
const firstID = 100_000

// sentCall is one request in flight.
type sentCall struct {
	id       int64
	progress func()                                    // may be nil
	watch    atomic.Pointer[func(toolscript.Progress)] // receives the progress of the call; see upstream.WatchProgress
	lease    *budget.Lease
	trace    string    // traceparent for the server
	logs     string    // the request asks for log messages from this level on; "": none
	mark     printMark // position in the server's output when the call began
	sole     bool      // an error without an id is its answer if no other request is in flight; see nameless
	nameless atomic.Pointer[mcp.JSONRPCErrorDetails]

	// direct marks a call of a tool that does not go through mcp-go. Only such a call has
	// tool and about; see finish.
	direct bool
	tool   upstream.ToolCall
	about  toolscript.Error
	conn   *Conn

	// For other requests over stdio, the answer is stored in outcome, and stop ends mcp-go's
	// wait for it.
	stop    func()
	outcome atomic.Pointer[reply]
}

// reply is the outcome of a request.
type reply struct {
	result  json.RawMessage
	failure *mcp.JSONRPCErrorDetails // from the server, or in place of its answer
	lost    bool                     // the connection ended
	err     error                    // any other error; errors of package httptransport are not classified yet
}

// calls are the requests in flight, by id. The id is also the progress token.
type calls struct {
	on     upstream.Events
	last   atomic.Int64
	mu     sync.Mutex
	open   map[int64]*sentCall
	closed bool // the connection has ended

	odd   *deviations
	asked func(m message) bool // receives requests of the server; may be nil
}

func newCalls(on upstream.Events) *calls {
	return &calls{on: on, open: make(map[int64]*sentCall), odd: &deviations{on: on}}
}

// begin registers a request under a new id. It returns false if the connection has ended.
func (c *calls) begin(call *sentCall) bool {
	call.id = firstID + c.last.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.open[call.id] = call
	}
	return !c.closed
}

// end removes a request and reports whether it was in flight.
func (c *calls) end(call *sentCall) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := c.open[call.id] == call
	delete(c.open, call.id)
	return open
}

// complete ends a call that does not go through mcp-go, and reports whether it was still in
// flight. The call's finish runs at most once.
func (c *calls) complete(call *sentCall, r reply) bool {
	open := c.end(call)
	if open {
		call.finish(r)
	}
	return open
}

func (c *calls) find(id int64) *sentCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

// settle delivers the outcome of a request.
func (c *calls) settle(call *sentCall, r reply) {
	if call.direct {
		c.complete(call, r)
		return
	}
	call.outcome.Store(&r)
	call.stop()
}

// direct handles an answer to one of our requests, a progress notification for one of them, and a
// request of the server. It returns false for any other message. Progress is handled here so that
// it does not arrive after the answer. The caller may overwrite the message afterwards.
func (c *calls) direct(message []byte) bool {
	m, ok := c.read(message)
	if !ok {
		return c.unreadable(message, "")
	}
	if m.method == "notifications/progress" {
		return c.directProgress(m.params)
	}
	call := c.of(m)
	if call == nil {
		return c.other(m)
	}
	c.settle(call, reply{result: bytes.Clone(m.result), failure: m.failure})
	return true
}

// answer handles an answer to a call, or a request of the server. For an answer, it takes over the
// lease of its bytes. It returns false for any other message.
func (c *calls) answer(message []byte, taken *budget.Lease) bool {
	m, ok := c.read(message)
	if !ok {
		return c.unreadable(message, "")
	}
	call := c.of(m)
	if call == nil {
		return c.other(m)
	}
	taken.Move(call.lease)
	c.settle(call, reply{result: m.result, failure: m.failure})
	return true
}

// of returns the call that a message answers; nil if there is none.
func (c *calls) of(m message) *sentCall {
	id, ok := httptransport.Parse(m.id)
	if m.method != "" || !ok {
		return nil
	}
	call := c.find(id)
	if call != nil && m.id[0] == '"' {
		c.odd.note(httptransport.TextIDs)
	}
	if call != nil && m.unversioned {
		c.odd.note(httptransport.NoVersion)
	}
	return call
}
