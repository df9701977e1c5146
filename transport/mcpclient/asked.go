package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

const (
	maxRounds       = 10 // questions of a server, one after another, within one call
	resubscribe     = time.Second
	inputRequired   = string(mcp.ResultTypeInputRequired)
	nobodyToAsk     = "nobody can be asked here: toolscript did not offer it in the handshake"
	askedWithoutEnd = "the server asks for input again and again"
)

// asked answers a request of the server. It runs on a goroutine of its own.
func (c *Conn) asked(ctx context.Context, request transport.JSONRPCRequest) (response *transport.JSONRPCResponse, err error) {
	defer recovered(c.on, func() { err = errFault })
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, err
	}
	result, err := c.reply(ctx, request.Method, params)
	var refused *refusedError
	if errors.As(err, &refused) {
		c.on.logf(slog.LevelInfo, "the server's request %s was refused: %s", printable(request.Method), refused.why)
		return transport.NewJSONRPCErrorResponse(request.ID, refused.code, refused.why, nil), nil
	}
	if err != nil {
		return nil, err
	}
	return transport.NewJSONRPCResultResponse(request.ID, result), nil
}

// refusedError is a request of a server that is not answered with a result.
type refusedError struct {
	code int
	why  string
}

func (e *refusedError) Error() string { return e.why }

// reply finds the result of a request of the server. There are no roots: what a
// server may reach is for its configuration to say, and the filesystem server
// takes the roots of a client for more than its own arguments.
func (c *Conn) reply(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case string(mcp.MethodPing):
		return json.RawMessage(`{}`), nil
	case string(mcp.MethodListRoots):
		return json.RawMessage(`{"roots":[]}`), nil
	case string(mcp.MethodElicitationCreate):
		if c.on.Elicit != nil {
			return c.on.Elicit(ctx, params)
		}
	case string(mcp.MethodSamplingCreateMessage):
		if c.on.Sample != nil {
			return c.on.Sample(ctx, params)
		}
	default:
		return nil, &refusedError{mcp.METHOD_NOT_FOUND, "no such method: " + printable(method)}
	}
	return nil, &refusedError{mcp.METHOD_NOT_FOUND, nobodyToAsk}
}

// question is the result of a request that the server wants to know more for, as
// in MCP 2026-07-28, which has no requests of servers.
type question struct {
	ResultType    string `json:"resultType"`
	InputRequests map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	} `json:"inputRequests"`
	RequestState json.RawMessage `json:"requestState"`
}

// asks is the question in a result, nil when it is a result.
func asks(result json.RawMessage) *question {
	var q question
	if json.Unmarshal(result, &q) != nil || q.ResultType != inputRequired {
		return nil
	}
	return &q
}

// rounds sends a request, and sends it again with the answers to what the server
// wants to know for it.
func (c *Conn) rounds(ctx context.Context, about toolscript.Error, method string, params map[string]any, progress func()) (json.RawMessage, error) {
	for range maxRounds {
		result, err := c.request(ctx, about, method, params, progress)
		if err != nil || !c.dialect.modern() {
			return result, err
		}
		q := asks(result)
		if q == nil {
			return result, nil
		}
		answers := make(map[string]json.RawMessage)
		for name, asked := range q.InputRequests {
			if answers[name], err = c.reply(ctx, asked.Method, asked.Params); err != nil {
				return nil, because(about, toolscript.ToolFailed, fmt.Errorf("the server asks for input (%s): %s", printable(asked.Method), c.words.clean(err.Error())))
			}
		}
		params["inputResponses"] = answers
		if q.RequestState != nil {
			params["requestState"] = q.RequestState
		}
	}
	return nil, because(about, toolscript.ToolFailed, errors.New(askedWithoutEnd))
}

// subscribe asks a server of MCP 2026-07-28 to tell of changed lists, for as long
// as the connection lasts.
func (c *Conn) subscribe() {
	defer recovered(c.on)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-c.Lost()
		cancel()
	}()
	lists := mcp.SubscriptionFilter{ToolsListChanged: true, ResourcesListChanged: true, PromptsListChanged: true}
	for {
		err := c.protocol.Listen(ctx, lists)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, mcp.ErrMethodNotFound) {
			c.on.logf(slog.LevelDebug, "the server tells of no changes: %v", err)
			return
		}
		select {
		case <-time.After(resubscribe):
			c.on.changed(c.on.ToolsChanged) // it may have changed meanwhile
		case <-ctx.Done():
			return
		}
	}
}
