package hub

import (
	"context"
	"errors"
	"sync"

	"github.com/toolscript/toolscript"
)

// connector opens the connection of a gateway when it is needed, and again after its end.
type connector struct {
	open func(context.Context) (*link, error)

	dialing chan struct{} // has a value while a connection is opened
	mu      sync.Mutex
	link    *link // nil before the first dial
	closed  bool
}

func newConnector(open func(context.Context) (*link, error)) connector {
	return connector{open: open, dialing: make(chan struct{}, 1)}
}

// Close ends the connection to the hub, and with it all servers' connections.
func (c *connector) Close() {
	c.mu.Lock()
	l := c.link
	c.closed, c.link = true, nil
	c.mu.Unlock()
	if l != nil {
		l.lose(errClosed)
	}
}

var errClosed = errors.New("the gateway has ended its connection to the hub")

// connect returns the connection to the hub.
func (c *connector) connect(ctx context.Context) (*link, error) {
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	select {
	case c.dialing <- struct{}{}:
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
	defer func() { <-c.dialing }()
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	l, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		go l.lose(errClosed)
		return nil, unavailable("%w", errClosed)
	}
	c.link = l
	return l, nil
}

// current returns the connection if there is one.
func (c *connector) current() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, unavailable("%w", errClosed)
	}
	if c.link == nil || c.link.over() {
		return nil, nil
	}
	return c.link, nil
}
