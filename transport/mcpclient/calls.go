package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/rescue"
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
	watch    atomic.Pointer[func(toolscript.Progress)] // see WatchProgress
	lease    *budget.Lease
	trace    string    // traceparent for the server
	logs     bool      // the request asks for log messages
	mark     printMark // where the server's output was when the call began
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

// add registers a call that does not go through mcp-go. It returns false if the
// connection has ended.
func (c *calls) add(call *sentCall) bool {
	call.id = c.next()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.open[call.id] = call
	return true
}

// complete ends a call that add registered and reports whether it was still in
// flight. The call's finish runs at most once.
func (c *calls) complete(call *sentCall, r reply) bool {
	c.mu.Lock()
	open := c.open[call.id] == call
	delete(c.open, call.id)
	c.mu.Unlock()
	if open {
		call.finish(r)
	}
	return open
}

// lose ends all calls that add registered and rejects new ones. It is called when the
// connection has ended.
func (c *calls) lose() {
	c.mu.Lock()
	c.closed = true
	var lost []*sentCall
	for _, call := range c.open {
		if call.direct {
			lost = append(lost, call)
		}
	}
	c.mu.Unlock()
	for _, call := range lost {
		c.complete(call, reply{lost: true})
	}
}

func newCalls(on upstream.Events) *calls {
	return &calls{on: on, open: make(map[int64]*sentCall), odd: &deviations{on: on}}
}

func (c *calls) next() int64 { return firstID + c.last.Add(1) }

// begin registers a call that goes through mcp-go.
func (c *calls) begin(call *sentCall) *sentCall {
	call.id = c.next()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[call.id] = call
	return call
}

func (c *calls) end(call *sentCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, call.id)
}

func (c *calls) find(id int64) *sentCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

// progress notifies the caller of a request that the server has made progress.
func (c *calls) progress(token int64) {
	if call := c.find(token); call != nil && call.progress != nil {
		call.progress()
	}
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

func (c *calls) directProgress(params json.RawMessage) bool {
	var fields map[string]any
	if json.Unmarshal(params, &fields) != nil {
		return false
	}
	token := tokenOf(fields)
	if c.find(token) == nil {
		return false
	}
	func() {
		defer rescue.Catch(panicked(c.on))
		c.progress(token)
		c.forwardProgress(token, fields)
	}()
	return true
}

// tokenOf returns the progress token in the parameters of a notification; 0 if it is not one
// of ours.
func tokenOf(params map[string]any) int64 {
	switch token := params["progressToken"].(type) {
	case float64:
		return int64(token)
	case string:
		id, _ := httptransport.Parse([]byte(token))
		return id
	}
	return 0
}

// answer handles a message that answers a call, and takes over the lease of its
// bytes, or a request of the server. It returns false for any other message.
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

// other handles a message that has no id of our requests.
func (c *calls) other(m message) bool {
	if m.method == "" && m.failure != nil && (len(m.id) == 0 || string(m.id) == "null") {
		c.nameless(m.failure)
		return true
	}
	return c.asked != nil && c.asked(m)
}

// nameless handles an error without an id, which JSON-RPC prescribes for a request that the server
// could not read. If one request is in flight, it fails. If several are, those without an answer
// mention the error. "Method not found" is ignored, because servers refuse notifications with it.
func (c *calls) nameless(failure *mcp.JSONRPCErrorDetails) {
	if failure.Code == mcp.METHOD_NOT_FOUND {
		return
	}
	c.mu.Lock()
	var one *sentCall
	for _, one = range c.open {
		one.nameless.Store(failure)
	}
	alone := len(c.open) == 1 && one.sole
	c.mu.Unlock()
	if alone {
		named := *failure
		named.Message = fmt.Sprintf("the server answered with an error without the id of a request, while only this one was open: %q", failure.Message)
		c.settle(one, reply{failure: &named})
	}
}

// isSole reports whether an error without an id can be the answer to a request. For a list it
// cannot: the error may be about the notification that was sent before.
func isSole(method string) bool { return method != "ping" && !strings.HasSuffix(method, "/list") }

// unreadable ends the call whose answer is in a text that is not an MCP message, such as JSON with
// NaN or with text before it. It returns false if the text is not the answer to a call.
func (c *calls) unreadable(text []byte, why string) bool {
	answer := httptransport.Unreadable(text)
	answer.Why = why
	return httptransport.IsAnswer(text) && c.refuse(httptransport.In(httptransport.Ends(text)), reply{err: answer})
}

// refuse ends the first of the candidates that is in flight. It returns false if none is.
func (c *calls) refuse(candidates iter.Seq[int64], r reply) bool {
	for id := range candidates {
		if call := c.find(id); call != nil {
			c.settle(call, r)
			return true
		}
	}
	return false
}

// of returns the call that a message answers, nil if there is none.
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

// message is a message of the server.
type message struct {
	method             string
	id, result, params json.RawMessage // slices of the message's bytes
	failure            *mcp.JSONRPCErrorDetails
	unversioned        bool // it has no version of JSON-RPC
}

// read reads a message in UTF-8 or ISO-8859-1; see parse.
func (c *calls) read(text []byte) (m message, ok bool) {
	text, latin := httptransport.UTF8(text)
	if latin {
		c.odd.note(httptransport.LatinText)
	}
	return parse(text)
}

// parse reads a message in one pass. It returns false if text is not a JSON object or if a
// member has the wrong type.
func parse(text []byte) (m message, ok bool) {
	var parseErr error
	m.unversioned = true
	ok = rawjson.Object(text, func(name string, value json.RawMessage) {
		switch name {
		case "jsonrpc":
			m.unversioned = false
		case "id":
			m.id = value
		case "method":
			m.method, parseErr = parseText(value, parseErr)
		case "result":
			m.result = value
		case "params":
			m.params = value
		case "error":
			var failure *mcp.JSONRPCErrorDetails
			parseErr = errors.Join(parseErr, json.Unmarshal(value, &failure))
			m.failure = failure
		}
	})
	return m, ok && parseErr == nil
}

// parseText reads a JSON string, with a short path for strings without escapes.
func parseText(literal json.RawMessage, before error) (text string, err error) {
	if len(literal) > 1 && literal[0] == '"' && bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1]), before
	}
	err = json.Unmarshal(literal, &text)
	return text, errors.Join(before, err)
}
