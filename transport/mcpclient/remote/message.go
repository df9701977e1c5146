package remote

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// message is whatever the server may send: a response, a notification or a
// request of its own.
type message struct {
	ID     mcp.RequestId            `json:"id"`
	Method string                   `json:"method"`
	Params json.RawMessage          `json:"params"`
	Result json.RawMessage          `json:"result"`
	Error  *mcp.JSONRPCErrorDetails `json:"error"`
}

func (m message) response() *transport.JSONRPCResponse {
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: m.ID, Result: m.Result, Error: m.Error}
}

// take reads one message. It hands notifications and requests on, the answers to
// which go through reply while ctx lasts, and returns a response to the caller.
// What is no message is left out, as on the other transports.
func (w *wire) take(ctx context.Context, data []byte, reply func(context.Context, *transport.JSONRPCResponse)) *transport.JSONRPCResponse {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		w.Log(slog.LevelDebug, "an event that is no message: %v", err)
		return nil
	}
	switch {
	case m.Method == "" && !m.ID.IsNil():
		return m.response()
	case m.Method == "":
		w.Log(slog.LevelDebug, "a message with neither id nor method")
	case m.ID.IsNil():
		w.notified(m)
	default:
		w.asked(ctx, m, reply)
	}
	return nil
}

func (w *wire) notified(m message) {
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{Method: m.Method}}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &n.Params) != nil {
		w.Log(slog.LevelDebug, "the parameters of %s are no object", m.Method)
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
		w.run(func() { refuse(mcp.INTERNAL_ERROR, "too many requests of the server are under way") })
		return
	}
	w.run(func() {
		defer func() { <-w.served }()
		defer func() {
			if r := recover(); r != nil {
				w.Log(slog.LevelError, "panic while answering %s: %v\n%s", m.Method, r, debug.Stack())
				refuse(mcp.INTERNAL_ERROR, "a fault of toolscript")
			}
		}()
		if handle == nil {
			refuse(mcp.METHOD_NOT_FOUND, "nobody answers requests here")
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
