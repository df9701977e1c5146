package hub

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// ClientOptions configure a Client. Find is required.
type ClientOptions struct {
	// Find returns a running hub, and may start one. It is called for the first dial,
	// and again for the first one after the connection to the hub was lost.
	Find func(ctx context.Context) (Endpoint, error)

	Folder  string          // folder of the project, for servers that its gateways share
	Label   string          // names the gateway in the Status of the hub
	Answers *budget.Budget  // limits the memory for the answers of all servers; nil means unlimited
	Logger  *slog.Logger    // nil: no log
	Environ func() []string // returns the environment of the gateway; nil: os.Environ
}

// Client connects a gateway to a hub. It has one connection for all servers, which it
// opens when the first server is dialled. It is safe for concurrent use.
type Client struct {
	options ClientOptions
	connector
}

// NewClient returns a Client. It starts nothing.
func NewClient(o ClientOptions) *Client {
	if o.Environ == nil {
		o.Environ = os.Environ
	}
	c := &Client{options: o}
	c.connector = newConnector(c.open)
	return c
}

// Dial makes the hub connect to a server, unless it is already connected, and waits for the
// connection until ctx ends. A later end of ctx does not affect the connection. The errors
// are those of mcpclient.Dialer.Dial.
func (c *Client) Dial(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (*Conn, error) {
	about := toolscript.Error{Server: name}
	d := wire.Define(name, cfg, c.options.Folder, c.options.Environ())
	if err := d.Check(); err != nil {
		about.Kind, about.Permanent, about.Err = toolscript.Invalid, true, err
		return nil, &about
	}
	l, err := c.connect(ctx)
	if err != nil {
		return nil, named(err, about)
	}
	return l.dial(ctx, d, on)
}

// Leave announces the end of the gateway. Servers that are closed after Leave stay in the hub
// for a time. Servers that are closed without it end soon: the gateway does not use them any more.
func (c *Client) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		c.link.leaving.Store(true)
	}
}

func (c *Client) open(ctx context.Context) (*link, error) {
	endpoint, err := c.options.Find(ctx)
	if err != nil {
		return nil, err
	}
	g, err := endpoint.open(ctx)
	if err != nil {
		return nil, err
	}
	me := wire.ConnectRequest{ID: wire.NewID(), Token: endpoint.Token, Label: c.options.Label, PID: os.Getpid()}
	answer, err := g.introduce(me)
	if err != nil {
		_ = g.conn.Close() // the error is known
		return nil, err
	}
	connect := connectHub(me.ID, answer.Password, &buffered{Conn: g.conn, from: g.lines})
	l, err := newLink(wire.HostNames(me.ID), linkOptions{Answers: c.options.Answers, Logger: c.options.Logger}, connect)
	if err != nil {
		_ = g.conn.Close() // the error is known
		return nil, unavailable("connect to the hub: %w", err)
	}
	return l, nil
}

// buffered is a connection whose first bytes are already in a buffer.
type buffered struct {
	net.Conn
	from interface{ Read([]byte) (int, error) }
}

func (b *buffered) Read(p []byte) (int, error) { return b.from.Read(p) }

// named adds the server and the tool to an error.
func named(err error, about toolscript.Error) error {
	var known *toolscript.Error
	if !errors.As(err, &known) {
		about.Kind, about.Err, about.RetryAfter = toolscript.Unavailable, err, retryAfter
		return &about
	}
	full := *known
	full.Server, full.Tool = about.Server, about.Tool
	return &full
}

// left returns the time until the deadline of ctx; 0 if it has none.
func left(ctx context.Context) time.Duration {
	until, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(time.Until(until), time.Millisecond)
}
