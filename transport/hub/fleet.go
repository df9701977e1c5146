package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Address is the NATS cluster of a fleet. It may contain secrets.
type Address = cluster.Address

// FleetOptions configure a Fleet. Address is required.
type FleetOptions struct {
	// Address returns the cluster. It is called for each connection.
	Address func() Address

	Answers *budget.Budget // limits the memory for the answers of all servers; nil means unlimited
	Logger  *slog.Logger   // nil: no log
}

// Fleet connects a gateway to the hubs of a fleet. It has one connection for all servers,
// which it opens when it is needed. A connection that was lost is not resumed: requests in
// flight fail, because their answers may be lost, and the next request opens another
// connection. A Fleet is safe for concurrent use.
type Fleet struct {
	options FleetOptions
	connector
}

// NewFleet returns a Fleet. It starts nothing.
func NewFleet(o FleetOptions) *Fleet {
	f := &Fleet{options: o}
	f.connector = newConnector(f.open)
	return f
}

func (f *Fleet) open(ctx context.Context) (*link, error) {
	a := f.options.Address()
	if !wire.ValidName(a.Name()) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(`"user" of the fleet has letters, digits, hyphens and underscores only`)}
	}
	o := linkOptions{Answers: f.options.Answers, Logger: f.options.Logger, fleet: true}
	return newLink(wire.FleetNames(a.Name(), wire.NewID()), o, func(o ...nats.Option) (*nats.Conn, error) {
		return cluster.Connect(ctx, a, o...)
	})
}

// Reset ends the connection, because the address has changed. The next request opens
// another.
func (f *Fleet) Reset() {
	f.mu.Lock()
	l := f.link
	f.link = nil
	f.mu.Unlock()
	if l != nil {
		l.lose(errors.New("the settings of the fleet have changed"))
	}
}

// Dial connects to a server of the fleet. If no hub offers it at present, Dial waits
// for a few seconds: another hub may be about to take it over. A later end of ctx does not
// affect the connection. The errors are those of mcpclient.Dialer.Dial.
func (f *Fleet) Dial(ctx context.Context, name string, _ upstream.Config, on upstream.Events) (*FleetConn, error) {
	about := toolscript.Error{Server: name}
	if !wire.ValidName(name) {
		about.Kind, about.Err = toolscript.Invalid, errors.New("the name of a server in a fleet has at most 64 letters of ASCII, digits, hyphens and underscores")
		return nil, &about
	}
	l, err := f.connect(ctx)
	if err != nil {
		return nil, named(err, about)
	}
	c := &FleetConn{base: base{link: l, name: name, on: on, gone: make(chan struct{})}, hosts: survey{age: hostsAge, most: hostsAge}}
	c.hosts.find = func(ctx context.Context) ([]string, error) { return cluster.Hosts(ctx, l.nc, name) }
	if err := c.listen(); err != nil {
		return nil, named(unavailable("%w", err), about)
	}
	if err := c.open(ctx); err != nil {
		c.unlisten()
		return nil, err
	}
	if !l.watch(c) {
		c.unlisten()
		return nil, named(unavailable("the connection to the fleet was lost"), about)
	}
	return c, nil
}

// FleetConn is a connection to a server of a fleet. Several hubs may carry out its calls.
// It ends when no hub offers the server any more, or with the connection to the cluster.
// It is safe for concurrent use.
type FleetConn struct {
	base
	changes  *nats.Subscription
	opened   atomic.Bool // offered does not change any more
	checking atomic.Bool
	hosts    survey
}

const (
	takeOver = 6 * time.Second         // bounds the wait until another hub offers the server
	tryAgain = 200 * time.Millisecond  // between two attempts to find such a hub
	openTime = 1500 * time.Millisecond // bounds the wait for the answer of a hub
	pingTime = 5 * time.Second
)

// open asks a hub for the server.
func (c *FleetConn) open(ctx context.Context) error {
	names := c.link.names
	until := time.Now().Add(takeOver)
	for {
		payload, err := c.askQuickly(ctx, names.Server(c.name, wire.Open, wire.Anyone))
		if err == nil {
			if err := c.decodeOffered(payload); err != nil {
				return err
			}
			c.subject = names.Server(c.name, wire.Invoke, c.offered.Token)
			if c.offered.Token == wire.Anyone {
				c.route = c.link.route(c.name)
			}
			c.opened.Store(true)
			c.link.refuse(c.name, c.offered.Token)
			return nil
		}
		if !errors.Is(err, upstream.ErrUnreachable) || c.link.over() {
			return err
		}
		if why := c.state(ctx); why != nil {
			if err = why; !passing(why) {
				return err
			}
		}
		if errors.Is(err, upstream.ErrUnreachable) {
			err = named(unavailable("no hub of the fleet offers the server %s; see: toolscript status fleet", c.name), c.about(""))
		}
		if time.Now().After(until) {
			return err
		}
		select {
		case <-time.After(tryAgain):
		case <-ctx.Done():
			return err
		}
	}
}

// askQuickly sends a request that any hub may answer. The time is short, because a hub that is
// cut off from the cluster still gets a share of the requests.
func (c *FleetConn) askQuickly(ctx context.Context, subject string) ([]byte, error) {
	bounded, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	payload, err := c.link.ask(bounded, subject, nil, c.about(""), nil)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: no hub of the fleet has answered within %s", upstream.ErrUnreachable, openTime)
	}
	return payload, err
}

// state returns why a hub does not offer the server; nil if it does.
func (c *FleetConn) state(ctx context.Context) error {
	_, err := c.askQuickly(ctx, c.link.names.Server(c.name, wire.State, wire.Anyone))
	return err
}

// Start begins a call, as base does. If no hub takes the call, the error is the reason why no hub offers the server,
// unless that reason may be temporary.
func (c *FleetConn) Start(t upstream.ToolCall) upstream.Started {
	done := t.Done
	t.Done = func(result json.RawMessage, err error) {
		if !errors.Is(err, upstream.ErrUnreachable) || c.link.over() {
			done(result, err)
			return
		}
		go func() { // the goroutine of the link receives the answer
			if why := c.state(context.WithoutCancel(t.Ctx)); why != nil && !passing(why) {
				err = toolscript.WithSent(named(why, c.about(t.Tool)), toolscript.SentNo)
			}
			done(nil, err)
		}()
	}
	return c.base.Start(t)
}

// passing reports whether the reason why no hub offers a server may be temporary.
func passing(err error) bool {
	switch toolscript.KindOf(err) {
	case toolscript.Unauthorized, toolscript.Invalid, toolscript.Forbidden, toolscript.Unsupported:
		return false
	default:
		return true
	}
}

// listen receives the changes of the server that hubs report.
func (c *FleetConn) listen() (err error) {
	c.changes, err = c.link.nc.Subscribe(wire.FleetCatalog(c.name), func(m *nats.Msg) {
		var change wire.Catalog
		switch {
		case json.Unmarshal(m.Data, &change) != nil || !c.opened.Load():
			return
		case earlier(change.Token, c.offered.Token): // sent by an owner that has lost its lease
		case change.Token != c.offered.Token:
			c.end(errTakenOver)
			c.link.refuse(c.name, change.Token)
		case !change.State.Serves():
			c.check()
		case c.on.ToolsChanged != nil:
			c.on.ToolsChanged()
		}
		c.hosts.changed()
		if c.route != nil {
			c.route.changed()
		}
	})
	return err
}

func (c *FleetConn) unlisten() {
	_ = c.changes.Unsubscribe() // the connection may have ended
}

// earlier reports whether a is the token of an earlier lease than b.
func earlier(a, b string) bool {
	first, err := strconv.ParseUint(a, 10, 64)
	second, other := strconv.ParseUint(b, 10, 64)
	return err == nil && other == nil && first < second
}

// check ends the connection if no hub offers the server any more.
func (c *FleetConn) check() {
	if !c.checking.CompareAndSwap(false, true) {
		return
	}
	defer c.checking.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), pingTime)
	defer cancel()
	if err := c.Ping(ctx); !errors.Is(err, upstream.ErrUnreachable) {
		return
	}
	if why := c.state(ctx); why != nil && !passing(why) {
		c.lose(named(why, c.about("")))
		return
	}
	c.end(errWithdrawn)
}

var (
	errTakenOver = errors.New("another hub of the fleet has taken over the server")
	errWithdrawn = errors.New("no hub of the fleet offers the server any more")
)

func (c *FleetConn) end(why error) {
	c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, RetryAfter: retryAfter, Err: why})
}

// refuse ends the calls of a server that were sent to owners with another token: a result
// that arrives after this would be from an earlier owner.
func (l *link) refuse(server, token string) {
	if token == wire.Anyone {
		return
	}
	current := l.names.Server(server, wire.Invoke, token)
	calls := strings.TrimSuffix(l.names.Server(server, wire.Invoke, ""), "."+l.names.Gateway())
	var late []*request
	l.mu.Lock()
	for _, r := range l.requests {
		if strings.HasPrefix(r.subject, calls) && r.subject != current {
			late = append(late, r)
		}
	}
	l.mu.Unlock()
	for _, r := range late {
		r.tell(wire.Cancel, []byte(toolscript.Cancelled))
		r.finish(nil, lostDuring(r.about, errTakenOver))
	}
}

// doubt checks the connections to a server after a request had no receiver.
func (l *link) doubt(subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.users {
		if c.subject == subject {
			go c.check()
		}
	}
}

// request sends a request to a hub that offers the server.
func (c *FleetConn) request(ctx context.Context, verb string) ([]byte, error) {
	return c.link.ask(ctx, c.link.names.Server(c.name, verb, c.offered.Token), nil, c.about(""), nil)
}

// ListTools returns the tools that the server has listed last.
func (c *FleetConn) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	return c.tools(c.request(ctx, wire.Tools))
}

// Ping checks whether a hub offers the server.
func (c *FleetConn) Ping(ctx context.Context) error {
	_, err := c.request(ctx, wire.Ping)
	return err
}

// Close ends the connection. The server keeps running for other gateways.
func (c *FleetConn) Close() error {
	c.link.unwatch(c)
	c.unlisten()
	c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: errors.New("the connection was closed")})
	return nil
}
