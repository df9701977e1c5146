package hub

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// base is the common part of Conn and FleetConn.
type base struct {
	link    *link
	name    string // name of the server in the configuration of the gateway
	subject string // subject of calls
	route   *route // chooses among several hubs of a fleet that offer the server; nil: calls go to subject
	on      upstream.Events
	offered wire.Offered

	gone chan struct{}
	mu   sync.Mutex
	err  error
	tail []string
}

func (c *base) about(tool string) toolscript.Error {
	return toolscript.Error{Server: c.name, Tool: tool}
}

// Conn is a connection to a server in the hub. It ends when the hub loses the server, or
// when the gateway loses the hub. It is safe for concurrent use.
type Conn struct {
	base
	key     string
	offer   uint64 // the number of the offer; set by link.add
	restart bool   // Close restarts the server; guarded by mu
}

// dial offers the server to the hub and waits until it is connected.
func (l *link) dial(ctx context.Context, d wire.Definition, on upstream.Events) (*Conn, error) {
	c := &Conn{base: base{link: l, name: d.Name, on: on, gone: make(chan struct{})}, key: d.Key()}
	c.subject = wire.ServerSubject(c.key, l.names.Gateway())
	payload, err := l.ask(ctx, c.control(wire.Offer), d.Encode(left(ctx)), c.about(""), c)
	if err == nil {
		err = c.decodeOffered(payload)
	}
	if err != nil {
		l.forget(c)
		l.tell(wire.Release, "", c.offer, nil)
		return nil, err
	}
	return c, nil
}

// control returns the subject of a request to the hub.
func (c *Conn) control(verb string) string { return c.link.names.Hub(verb, "") }

func (c *base) decodeOffered(payload []byte) error {
	if json.Unmarshal(payload, &c.offered) != nil {
		return &toolscript.Error{Kind: toolscript.Internal, Server: c.name, Err: errors.New("the answer of the hub cannot be read")}
	}
	return nil
}

// Info returns the server's description of itself.
func (c *base) Info() upstream.Info { return c.offered.Info }

// ListTools returns the tools that the server has listed last.
func (c *Conn) ListTools(ctx context.Context) ([]toolscript.Tool, error) {
	return c.tools(c.link.ask(ctx, c.control(wire.Tools), []byte(c.key), c.about(""), nil))
}

// listAge is the time after which the hub is asked for the list of tools again. The hub itself
// follows the changes that the server announces.
const listAge = 5 * time.Minute

// ListAge returns how long a list of tools may be used.
func (*base) ListAge() time.Duration { return listAge }

// tools reads the answer to a request for the tools.
func (c *base) tools(payload []byte, err error) ([]toolscript.Tool, error) {
	if err != nil {
		return nil, err
	}
	tools, err := wire.DecodeTools(payload, c.name)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Internal, Server: c.name, Err: err}
	}
	return tools, nil
}

// Ping checks whether the hub answers and is connected to the server. The hub sends the
// pings to the server.
func (c *Conn) Ping(ctx context.Context) error {
	_, err := c.link.ask(ctx, c.control(wire.Ping), []byte(c.key), c.about(""), nil)
	return err
}

// Lost returns a channel that is closed when the connection has ended.
func (c *base) Lost() <-chan struct{} { return c.gone }

// Err returns why the connection ended, nil while it is up.
func (c *base) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Stderr returns the last lines of the server's standard error, once the hub's connection
// to the server has ended.
func (c *base) Stderr() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tail
}

// Restart makes Close restart the server in the hub, for all gateways that use it.
func (c *Conn) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restart = true
}

// restartTime bounds the wait for the restart of a server. After it, the hub continues the restart.
const restartTime = 10 * time.Second

// restartServer restarts the server if Restart was called. It returns when the hub has
// tried to connect again, so that the next dial does not get the previous process.
func (c *Conn) restartServer() {
	c.mu.Lock()
	restart := c.restart && c.err == nil
	c.restart = false
	c.mu.Unlock()
	if !restart {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), restartTime)
	defer cancel()
	if _, err := c.link.ask(ctx, c.control(wire.Restart), []byte(c.key), c.about(""), nil); err != nil {
		c.link.options.Logger.Warn("shared server not restarted", slog.String("server", c.name), slog.String("error", err.Error()))
	}
}

// Close tells the hub that this gateway does not need the server any more. The server
// keeps running for other gateways.
func (c *Conn) Close() error {
	c.link.forget(c)
	c.restartServer()
	c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, Err: errors.New("the connection was closed")})
	if !c.link.leaving.Load() {
		c.link.tell(wire.Release, "", c.offer, nil)
	}
	return nil
}

// SetConcurrency tells the hub how many calls of the server may be in flight, according to
// the configuration of this gateway; 0 means that it sets no limit.
func (c *Conn) SetConcurrency(limit int) {
	c.link.tell(wire.Limit, "", c.offer, []byte(strconv.Itoa(limit)))
}

// KeepsLimit reports whether the hub applies the time limit of a tool call: it knows when the call
// begins after a wait. It asks the hub whether the hub has the call, and returns false if ctx ends first.
func (c *base) KeepsLimit(ctx context.Context, started upstream.Started) bool {
	k, sent := started.(*hubCall)
	if !sent || k.link == nil {
		return false
	}
	hub := k.taker()
	if hub == "" && k.link.options.fleet {
		return false // no hub has taken the call
	}
	if k.moves() {
		return true
	}
	asked, _ := json.Marshal([]uint64{k.number}) // numbers always have a JSON form
	missing, err := k.link.exchange(ctx, &request{about: c.about(""), subject: k.link.names.Hub(wire.Beat, hub), late: true}, asked, nil)
	return err == nil && string(missing) == "[]"
}

// moves reports whether pieces of the call are on their way and the hub has sent something lately.
func (k *hubCall) moves() bool {
	k.mu.Lock()
	arrives := k.incoming != nil
	k.mu.Unlock()
	if !arrives && (k.outgoing == nil || k.outgoing.Ended()) {
		return false
	}
	k.link.mu.Lock()
	defer k.link.mu.Unlock()
	return time.Since(k.link.peer(k.hub).heard) < beatInterval
}

// EndsCalls marks a connection whose calls in flight go on after its end: the hub answers
// them, and the link ends the calls that the hub cannot answer.
func (c *base) EndsCalls() {}

// lose ends the connection, once.
func (c *base) lose(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = why
	var failed *mcpclient.DialError
	if errors.As(why, &failed) {
		c.tail = failed.Stderr
	}
	close(c.gone)
}

// received handles an event of the offer.
func (c *Conn) received(event string, payload []byte) {
	switch event {
	case wire.Changed:
		if c.on.ToolsChanged != nil {
			c.on.ToolsChanged()
		}
	case wire.Lost:
		c.lose(wire.DecodeError(payload, c.about("")))
	case wire.Log:
		var line wire.LogLine
		if c.on.Log != nil && json.Unmarshal(payload, &line) == nil {
			c.on.Log(slog.Level(line.Level), line.Text)
		}
	}
}
