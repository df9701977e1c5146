package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// serverRequests handles the requests of a stdio server. They do not go through mcp-go: it would sort the
// members of their parameters, and would log each answer that cannot be delivered to the default
// logger.
type serverRequests struct {
	handler atomic.Pointer[transport.RequestHandler]
	served  atomic.Int64 // requests that are being answered
}

// serve sets the handler that answers the requests of the server.
func (s *stdio) serve(handler transport.RequestHandler) { s.requests.handler.Store(&handler) }

// asked answers a request of the server in the background, until ctx ends. It returns false for other
// messages. The caller may overwrite the message afterwards.
func (s *stdio) asked(ctx context.Context, m message) bool {
	handler := s.requests.handler.Load()
	var id mcp.RequestId
	if handler == nil || m.method == "" || len(m.id) == 0 || json.Unmarshal(m.id, &id) != nil || id.IsNil() {
		return false
	}
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Method: m.method}
	if len(m.params) > 0 {
		request.Params = json.RawMessage(bytes.Clone(m.params))
	}
	go func() {
		defer s.requests.served.Add(-1)
		if s.requests.served.Add(1) > httptransport.MaxServed {
			s.answer(request, transport.NewJSONRPCErrorResponse(id, mcp.INTERNAL_ERROR, httptransport.TooManyRequests, nil))
			return
		}
		response, err := (*handler)(ctx, request)
		if err != nil {
			response = transport.NewJSONRPCErrorResponse(id, mcp.INTERNAL_ERROR, err.Error(), nil)
		}
		s.answer(request, response)
	}()
	return true
}

func (s *stdio) answer(request transport.JSONRPCRequest, response *transport.JSONRPCResponse) {
	message, err := json.Marshal(response)
	if err == nil {
		_, err = s.proc.stdin.Write(append(message, '\n'))
	}
	if err != nil && !errors.Is(err, errClosed) { // errClosed: the connection is ending
		s.on.Logf(slog.LevelWarn, "the server's request %s was not answered: %v", upstream.Printable(request.Method), err)
	}
}
