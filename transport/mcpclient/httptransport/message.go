package httptransport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/rescue"
)

// message is any message of the server: a response, a notification or a request.
type message struct {
	ID     mcp.RequestId
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *mcp.JSONRPCErrorDetails

	unversioned bool // it has no version of JSON-RPC
	listed      bool // it was the only item of a list
}

// parseMessage reads a message. Params and Result are slices of data.
func parseMessage(data []byte) (m message, err error) {
	data = rawjson.TrimMark(data)
	if only := onlyItem(data); only != nil {
		data, m.listed = only, true
	}
	m.unversioned = true
	note := func(failed error) {
		if err == nil {
			err = failed
		}
	}
	if !rawjson.Object(data, func(name string, value json.RawMessage) {
		switch name {
		case "jsonrpc":
			m.unversioned = false
		case "id":
			note(json.Unmarshal(value, &m.ID))
		case "method":
			note(json.Unmarshal(value, &m.Method))
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			note(json.Unmarshal(value, &m.Error))
		}
	}) {
		syntax := json.Unmarshal(data, new(json.RawMessage))
		return m, cmp.Or(syntax, errors.New("it is not an object"))
	}
	return m, err
}

// onlyItem returns the item of a list with exactly one item, such as a batch of MCP 2025-03-26. It
// returns nil for any other text.
func onlyItem(data []byte) json.RawMessage {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '[' {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil || len(items) != 1 {
		return nil
	}
	return items[0]
}

// response returns the message as a response. Its id is a number, as in the request, even if
// the server returns it as text.
func (m message) response() *transport.JSONRPCResponse {
	if text, is := m.ID.Value().(string); is {
		if id, ok := Parse([]byte(text)); ok {
			m.ID = mcp.NewRequestId(id)
		}
	}
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Result: m.Result, Error: m.Error}
}

// take handles one message. It passes notifications and requests to their handlers, and returns
// responses, including errors without an id. It sends the answers to requests with reply until ctx
// ends. Like other transports, take skips data that is not a message. awaited reports whether a
// request with an id is in flight.
func (w *wire) take(ctx context.Context, data []byte, reply func(context.Context, *transport.JSONRPCResponse), awaited func(id string) bool) *transport.JSONRPCResponse {
	m, err := w.parse(data)
	if err != nil {
		if answer := inPlaceOf(data, awaited); answer != nil {
			return answer
		}
		w.Log(slog.LevelDebug, "an event is not a message: %v", err)
		return nil
	}
	switch {
	case m.Method == "" && (!m.ID.IsNil() || m.Error != nil):
		return m.response()
	case m.Method == "":
		w.Log(slog.LevelDebug, "a message has neither id nor method")
	case m.ID.IsNil():
		w.notified(m)
	default:
		w.asked(ctx, m, reply)
	}
	return nil
}

// inPlaceOf returns an error response for an answer that cannot be read. It returns nil if the data
// does not seem to be an answer to a request in flight.
func inPlaceOf(data []byte, awaited func(id string) bool) *transport.JSONRPCResponse {
	var meter rawjson.Meter
	failure := &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: rawjson.ErrTooDeep.Error()}
	if !meter.TooDeep(data) {
		if !IsAnswer(data) {
			return nil
		}
		failure = &mcp.JSONRPCErrorDetails{Data: Unreadable(data)}
	}
	for n := range In(Ends(data)) {
		if id := mcp.NewRequestId(n); awaited(id.String()) {
			return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: failure}
		}
	}
	return nil
}

// tookNameless passes a response without an id to Nameless. It returns false if there is an id.
func (w *wire) tookNameless(response *transport.JSONRPCResponse) bool {
	if !response.ID.IsNil() {
		return false
	}
	if w.Nameless != nil {
		w.Nameless(response.Error)
	}
	return true
}

// settled returns the error that inPlaceOf has put into a response; if there is none, it returns the response.
func settled(response *transport.JSONRPCResponse) (*transport.JSONRPCResponse, error) {
	if response != nil && response.Error != nil {
		if unreadable, is := response.Error.Data.(*UnreadableError); is {
			return nil, unreadable
		}
	}
	return response, nil
}

func (w *wire) notified(m message) {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{Method: m.Method}}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &n.Params) != nil {
		w.Log(slog.LevelDebug, "the parameters of %s are not an object", m.Method)
		return
	}
	w.mu.RLock()
	notify := w.notify
	w.mu.RUnlock()
	if notify != nil {
		notify(n)
	}
}

// asked answers a request of the server in the background.
func (w *wire) asked(ctx context.Context, m message, reply func(context.Context, *transport.JSONRPCResponse)) {
	w.mu.RLock()
	handle := w.handle
	w.mu.RUnlock()
	refuse := func(code int, why string) {
		reply(ctx, transport.NewJSONRPCErrorResponse(m.ID, code, why, nil))
	}
	select {
	case w.served <- struct{}{}:
	default:
		w.refuse(m.Method, func() { refuse(mcp.INTERNAL_ERROR, TooManyRequests) })
		return
	}
	w.run(func() {
		defer func() { <-w.served }()
		defer rescue.Catch(func(p *rescue.Error) {
			w.Log(slog.LevelError, "panic while answering %s: %v\n%s", m.Method, p.Reason, p.Stack)
			refuse(mcp.INTERNAL_ERROR, "a fault of toolscript")
		})
		if handle == nil {
			refuse(mcp.METHOD_NOT_FOUND, "requests are not supported on this connection")
			return
		}
		answer, err := handle(ctx, transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Method: m.Method, Params: m.Params})
		if err != nil {
			refuse(mcp.INTERNAL_ERROR, err.Error())
			return
		}
		reply(ctx, answer)
	})
}

// refuse sends the refusal of a request in the background. A server that does not take refusals gets no more of them.
func (w *wire) refuse(method string, send func()) {
	select {
	case w.refused <- struct{}{}:
		w.run(func() {
			defer func() { <-w.refused }()
			send()
		})
	default:
		w.Log(slog.LevelDebug, "the request %s is not answered: the server does not take the answers to earlier ones", method)
	}
}
