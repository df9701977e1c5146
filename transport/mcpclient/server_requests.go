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
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	maxRounds              = 10          // consecutive requests for input within one call
	resubscribe            = time.Second // wait before a subscription begins again; doubles while subscriptions end early
	maxResubscribe         = time.Minute
	inputRequired          = string(mcp.ResultTypeInputRequired)
	elicitationUnsupported = "elicitation is not supported on this connection"
	tooManyRounds          = "the server asked for input too many times"
)

// asked answers a request of the server. mcp-go runs it in a separate goroutine.
func (c *Conn) asked(ctx context.Context, request transport.JSONRPCRequest) (response *transport.JSONRPCResponse, err error) {
	defer rescue.Catch(panicked(c.on, func() { err = upstream.ErrFault }))
	params, err := json.Marshal(request.Params)
	if err != nil {
		return nil, err
	}
	result, err := c.reply(ctx, request.Method, params)
	var refused *refusedError
	if errors.As(err, &refused) {
		c.on.Logf(slog.LevelInfo, "the server's request %s was refused: %s", upstream.Printable(request.Method), refused.why)
		return transport.NewJSONRPCErrorResponse(request.ID, refused.code, refused.why, nil), nil
	}
	if err != nil {
		return nil, err
	}
	return transport.NewJSONRPCResultResponse(request.ID, result), nil
}

// refusedError is the error response to a request of the server.
type refusedError struct {
	code int
	why  string
}

func (e *refusedError) Error() string { return e.why }

// reply returns the result for a request of the server. The list of roots is always empty: the
// configuration decides which folders a server may access, but in the filesystem server, roots of the
// client would replace the configured folders.
func (c *Conn) reply(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case string(mcp.MethodPing):
		return json.RawMessage(`{}`), nil
	case string(mcp.MethodListRoots):
		return json.RawMessage(`{"roots":[]}`), nil
	case string(mcp.MethodElicitationCreate):
		if c.on.Elicit == nil {
			return nil, &refusedError{mcp.METHOD_NOT_FOUND, elicitationUnsupported}
		}
		return c.on.Elicit(ctx, params)
	}
	return nil, &refusedError{mcp.METHOD_NOT_FOUND, "no such method: " + upstream.Printable(method)}
}

// question is a result of MCP 2026-07-28 that asks for input before the request can
// be completed. That version has no requests from server to client.
type question struct {
	ResultType    string                  `json:"resultType"`
	InputRequests map[string]inputRequest `json:"inputRequests"`
	RequestState  json.RawMessage         `json:"requestState"`
}

// inputRequest is a request of the server within a result.
type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// asks parses a result. It returns nil if the result is final.
func asks(result json.RawMessage) *question {
	var q question
	if json.Unmarshal(result, &q) != nil || q.ResultType != inputRequired {
		return nil
	}
	return &q
}

// rounds sends a request. While the server asks for input, rounds sends the request
// again with the answers, up to maxRounds times.
func (c *Conn) rounds(ctx context.Context, about toolscript.Error, method string, params map[string]any, progress func()) (json.RawMessage, error) {
	for round := range maxRounds {
		result, err := c.request(ctx, about, method, params, progress)
		if err != nil && round > 0 {
			return nil, begun(err)
		}
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
				return nil, wrapError(about, toolscript.ToolFailed, fmt.Errorf("the server asks for input (%s): %s", upstream.Printable(asked.Method), c.redact.Printable(err.Error())))
			}
		}
		params["inputResponses"] = answers
		if q.RequestState != nil {
			params["requestState"] = q.RequestState
		}
	}
	return nil, wrapError(about, toolscript.ToolFailed, errors.New(tooManyRounds))
}

// begun returns err for a later request of a call, with Sent set: the server has received the first request.
func begun(err error) error {
	var known *toolscript.Error
	if !errors.As(err, &known) || toolscript.SentOf(err) != toolscript.SentNo {
		return err
	}
	full := *known
	full.Sent, full.Next = toolscript.SentUnknown, ""
	full.Err = fmt.Errorf("the server has asked for input, and did not get it: %s; %s", known.Text(), toolscript.UnknownOutcome)
	return &full
}

// subscribe asks a server of MCP 2026-07-28 for notifications about changes of its lists, until the
// connection ends.
func (c *Conn) subscribe() {
	defer rescue.Catch(panicked(c.on))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-c.Lost()
		cancel()
	}()
	lists := map[string]any{"notifications": mcp.SubscriptionFilter{
		ToolsListChanged: true, ResourcesListChanged: c.offers.skills || c.offers.resourcesChange, PromptsListChanged: c.offers.promptsChange,
	}}
	for delay := resubscribe; ; delay = min(2*delay, maxResubscribe) {
		begun := time.Now()
		_, err := c.request(ctx, toolscript.Error{Server: c.name}, string(mcp.MethodSubscriptionsListen), lists, nil)
		if ctx.Err() != nil {
			return
		}
		if isMethodNotFound(err) {
			c.announces.Store(false)
			c.on.Logf(slog.LevelDebug, "the server sends no notifications of changes: %v", err)
			return
		}
		if time.Since(begun) > maxResubscribe {
			delay = resubscribe
		}
		select {
		case <-time.After(delay):
			c.on.NoteToolsChanged() // the list may have changed in the meantime
		case <-ctx.Done():
			return
		}
	}
}
