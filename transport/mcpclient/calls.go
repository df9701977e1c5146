package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/inflight"
	"github.com/toolscript/toolscript/transport/rawjson"
)

// callPrefix makes our request ids strings. mcp-go uses numbers, so the two cannot
// collide.
const callPrefix = "toolscript-"

// call is one request in flight.
type call struct {
	id        string
	progress  func() // may be nil
	oversized atomic.Bool
	watch     atomic.Pointer[func(toolscript.Progress)] // see WatchProgress
	lease     *inflight.Lease
	trace     string // traceparent for the server

	// direct is set for a call of a tool that does not go through mcp-go, and the others
	// with it; see finish.
	direct bool
	tool   ToolCall
	about  toolscript.Error
	conn   *Conn

	// For other requests, an answer of more than 64 KB is stored in response, and stop
	// ends mcp-go's wait for it.
	stop     func()
	response atomic.Pointer[transport.JSONRPCResponse]
}

// reply is the outcome of a request.
type reply struct {
	result    json.RawMessage
	failure   *mcp.JSONRPCErrorDetails // from the server
	oversized bool
	lost      bool  // the connection ended
	err       error // any other reason
}

// calls are the requests in flight, by id. The id is also the progress token.
type calls struct {
	on     Events
	last   atomic.Int64
	mu     sync.Mutex
	open   map[string]*call
	closed bool // the connection has ended
}

// add registers a call that does not go through mcp-go. It returns false if the
// connection has ended.
func (c *calls) add(call *call) bool {
	call.id = callPrefix + strconv.FormatInt(c.last.Add(1), 10)
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
func (c *calls) complete(call *call, r reply) bool {
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
	var lost []*call
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

func newCalls(on Events) *calls { return &calls{on: on, open: make(map[string]*call)} }

func (c *calls) begin(progress, stop func(), lease *inflight.Lease) *call {
	call := &call{id: callPrefix + strconv.FormatInt(c.last.Add(1), 10), progress: progress, stop: stop, lease: lease}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[call.id] = call
	return call
}

func (c *calls) end(call *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, call.id)
}

func (c *calls) find(id string) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

// progress notifies the caller of a request that the server has made progress.
func (c *calls) progress(token string) {
	if call := c.find(token); call != nil && call.progress != nil {
		call.progress()
	}
}

// tooLarge records that the answer to a call exceeded the limit. It returns false if
// no such call exists.
func (c *calls) tooLarge(id string) bool {
	call := c.find(id)
	if call == nil {
		return false
	}
	call.oversized.Store(true)
	return true
}

// mark occurs in every answer to one of our requests.
var mark = []byte(`"` + callPrefix)

// direct handles a message for a request that did not go through mcp-go: its answer,
// or a progress notification, which must not be delivered after the answer. It
// returns false for any other message. The caller may overwrite the message
// afterwards.
func (c *calls) direct(message []byte) bool {
	if !bytes.Contains(message, mark) {
		return false
	}
	m, ok := parse(message)
	if !ok {
		return false
	}
	if m.method == "notifications/progress" {
		return c.directProgress(m.params)
	}
	call := c.of(m)
	if call == nil || !call.direct {
		return false
	}
	c.complete(call, reply{result: bytes.Clone(m.result), failure: m.failure, oversized: call.oversized.Load()})
	return true
}

func (c *calls) directProgress(params json.RawMessage) bool {
	var fields map[string]any
	if json.Unmarshal(params, &fields) != nil {
		return false
	}
	token, _ := fields["progressToken"].(string)
	if call := c.find(token); call == nil || !call.direct {
		return false
	}
	func() {
		defer recovered(c.on)
		c.progress(token)
		c.forwardProgress(token, fields)
	}()
	return true
}

// answer handles a message that answers a call, and takes over the lease of its
// bytes. It returns false for any other message.
func (c *calls) answer(message []byte, taken *inflight.Lease) bool {
	m, ok := parse(message)
	call := c.of(m)
	if !ok || call == nil {
		return false
	}
	taken.Move(call.lease)
	if call.direct {
		c.complete(call, reply{result: m.result, failure: m.failure, oversized: call.oversized.Load()})
		return true
	}
	call.response.Store(&transport.JSONRPCResponse{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(call.id), Result: m.result, Error: m.failure,
	})
	call.stop()
	return true
}

// of returns the call that a message answers, nil if there is none.
func (c *calls) of(m message) *call {
	if m.method != "" || len(m.id) < 2 || m.id[0] != '"' {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[string(m.id[1:len(m.id)-1])] // our ids have no escapes
}

// message is a message of the server.
type message struct {
	method             string
	id, result, params json.RawMessage // slices of the message's bytes
	failure            *mcp.JSONRPCErrorDetails
}

// parse reads a message in one pass. It returns false if text is not a JSON object, and for
// members of the wrong type.
func parse(text []byte) (m message, ok bool) {
	var parseErr error
	ok = rawjson.Object(text, func(name string, value json.RawMessage) {
		switch name {
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
