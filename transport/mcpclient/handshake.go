package mcpclient

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// forProtocol returns the transport for mcp-go's client, which performs the handshake. Its types embed
// the types with the methods that mcp-go looks for.
func (c *Conn) forProtocol() transport.Interface {
	switch w := c.peer.transport().(type) {
	case *transport.Stdio:
		return protocolStdio{w, c}
	case overHTTP:
		return protocolHTTP{w, c}
	default:
		return w
	}
}

type overHTTP interface {
	transport.BidirectionalInterface
	transport.HTTPConnection
}

type protocolStdio struct {
	*transport.Stdio
	conn *Conn
}

// SendRequest implements transport.Interface.
func (w protocolStdio) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return w.conn.forward(ctx, w.Stdio, request)
}

// SendNotification implements transport.Interface. It drops cancellations: they contain an id of mcp-go,
// and mcp-go sends them only for subscriptions, at the end of the connection.
func (w protocolStdio) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	if n.Method == string(mcp.MethodNotificationCancelled) {
		return nil
	}
	return w.Stdio.SendNotification(ctx, n)
}

type protocolHTTP struct {
	overHTTP
	conn *Conn
}

// SendRequest implements transport.Interface.
func (w protocolHTTP) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return w.conn.forward(ctx, w.overHTTP, request)
}

// forward sends a request of mcp-go's client with an id of our own, and notes the versions in the answer to
// initialize.
func (c *Conn) forward(ctx context.Context, wire transport.Interface, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, release := budget.Ensure(ctx)
	defer release()
	sending, stop := context.WithCancel(ctx)
	defer stop()
	call := &sentCall{stop: stop, lease: c.answers.Lease(ctx), sole: isSole(request.Method)}
	c.calls.begin(call)
	defer c.calls.end(call)
	request.ID = mcp.NewRequestId(call.id)
	response, err := exchange(sending, wire, call, request)
	c.refused.note(request.Method, response, err)
	var unreadable *httptransport.UnreadableError
	if errors.As(err, &unreadable) {
		err = errors.New(c.unreadable(unreadable))
	}
	return response, err
}
