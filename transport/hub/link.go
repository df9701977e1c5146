package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/inflight"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

const (
	pingInterval = 10 * time.Second // to a hub that sends nothing
	pingsOut     = 2                // unanswered pings that end the connection
	flushTime    = 10 * time.Second // for the hub to read
)

// link is the connection of a gateway to a hub. All messages of the hub arrive in one
// goroutine, in order, which must not block.
type link struct {
	names   wire.Names
	options linkOptions
	nc      *nats.Conn
	gone    chan struct{} // closed when the connection has ended
	leaving atomic.Bool   // the gateway ends

	mu       sync.Mutex
	why      error // why the connection has ended; nil while it is up
	last     uint64
	requests map[uint64]*request
	conns    map[uint64]*Conn // by the number of their offer
	users    map[*FleetConn]struct{}
	looking  bool // look is due, see attend
}

// linkOptions are those of a link. fleet names what the gateway is connected to.
type linkOptions struct {
	Answers *inflight.Budget
	Logger  *slog.Logger
	fleet   bool // the requests are for several hubs; else for one
}

func (o linkOptions) peer() string {
	if o.fleet {
		return "the fleet"
	}
	return "the hub"
}

// connectHub connects to the NATS server of a hub over a connection that exists.
func connectHub(id, password string, conn net.Conn) func(...nats.Option) (*nats.Conn, error) {
	return func(o ...nats.Option) (*nats.Conn, error) {
		return nats.Connect("nats://hub", append(o, nats.UserInfo(id, password), nats.SetCustomDialer(oneConn{conn}),
			nats.SkipHostLookup(), nats.IgnoreDiscoveredServers(), nats.Timeout(handshakeTime))...)
	}
}

// newLink connects, and receives what is sent to the gateway.
func newLink(names wire.Names, o linkOptions, connect func(...nats.Option) (*nats.Conn, error)) (*link, error) {
	l := &link{names: names, options: o, gone: make(chan struct{}), requests: map[uint64]*request{}, conns: map[uint64]*Conn{}, users: map[*FleetConn]struct{}{}}
	nc, err := connect(nats.Name("toolscript gateway"), nats.NoReconnect(), nats.CustomInboxPrefix(names.Inbox()+"inbox"),
		nats.FlusherTimeout(flushTime), nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(pingsOut),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.failed(err) }))
	if err != nil {
		return nil, err
	}
	l.nc = nc
	nc.SetClosedHandler(func(nc *nats.Conn) { l.lose(o.lossOf(nc)) })
	incoming, err := nc.Subscribe(names.Inbox()+">", l.received)
	if err == nil {
		err = incoming.SetPendingLimits(-1, -1) // the hub sends no more than the gateway has asked for
	}
	if err == nil {
		err = nc.Flush() // an end before SetClosedHandler is seen here
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return l, nil
}

// oneConn is a dialer that returns a connection that exists.
type oneConn struct{ conn net.Conn }

func (o oneConn) Dial(string, string) (net.Conn, error) { return o.conn, nil }

func (o linkOptions) lossOf(nc *nats.Conn) error {
	if err := nc.LastError(); err != nil {
		return fmt.Errorf("the connection to %s was lost: %w", o.peer(), err)
	}
	return fmt.Errorf("the connection to %s was lost: it has ended", o.peer())
}

// failed handles an error of the connection that does not end it.
func (l *link) failed(err error) {
	l.options.Logger.Warn("error of the connection to "+l.options.peer(), slog.String("error", err.Error()))
	if errors.Is(err, nats.ErrPermissionViolation) {
		l.denied(err)
	}
}

// over reports whether the connection has ended.
func (l *link) over() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}

// lose ends the connection, all requests and all connections to servers.
func (l *link) lose(why error) {
	l.mu.Lock()
	if l.why != nil {
		l.mu.Unlock()
		return
	}
	l.why = why
	requests, conns, users := l.requests, l.conns, l.users
	l.requests, l.conns, l.users = nil, nil, nil
	close(l.gone)
	l.mu.Unlock()
	for _, r := range requests {
		r.end(nil, lostDuring(r.about, why))
	}
	for _, c := range conns {
		c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, RetryAfter: retryAfter, Err: why})
	}
	for c := range users {
		c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, RetryAfter: retryAfter, Err: why})
	}
	l.nc.Close()
}

// lostDuring is the error of a request that was in flight when the connection ended.
func lostDuring(about toolscript.Error, why error) *toolscript.Error {
	about.Kind, about.RetryAfter = toolscript.Unavailable, retryAfter
	about.Err = fmt.Errorf("%w; whether the call was carried out is not known", why)
	return &about
}

// notSent is the error of a request that was not sent.
func notSent(about toolscript.Error, why error) *toolscript.Error {
	if errors.Is(why, nats.ErrMaxPayload) {
		about.Kind, about.Err = toolscript.TooLarge, errors.New("the request is too large for the hub, and was not sent")
		return &about
	}
	about.Kind, about.RetryAfter = toolscript.Unavailable, retryAfter
	about.Err = fmt.Errorf("%w: %w; the call was not sent", mcpclient.ErrUnreachable, why)
	return &about
}

// add numbers a request, and registers conn under the same number if it is not nil.
func (l *link) add(r *request, conn *Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return l.why
	}
	l.last++
	r.number, r.link, r.begun = l.last, l, time.Now()
	l.requests[r.number] = r
	l.attend()
	if conn != nil {
		conn.offer = r.number
		l.conns[r.number] = conn
	}
	return nil
}

// take removes a request, and reports whether it was there: only then the caller ends it.
func (l *link) take(number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.requests[number]
	delete(l.requests, number)
	return ok
}

func (l *link) find(number uint64) (*request, *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests[number], l.conns[number]
}

// forget removes a connection to a server.
func (l *link) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c.offer)
}

// watch has the connection to a server of a fleet end with the link. It returns false if
// the link has ended.
func (l *link) watch(c *FleetConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return false
	}
	l.users[c] = struct{}{}
	return true
}

func (l *link) unwatch(c *FleetConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.users, c)
}

// received handles a message of the hub.
func (l *link) received(m *nats.Msg) {
	if m.Header.Get(statusHeader) == noResponders {
		l.unheard(m.Subject)
		return
	}
	number, event, ok := l.names.Event(m.Subject)
	if !ok {
		return
	}
	r, conn := l.find(number)
	if event == wire.Taken {
		l.taken(r, number, m.Data)
		return
	}
	if r != nil {
		r.heard = true
	}
	if r != nil && r.received(event, m.Data) {
		return
	}
	if conn != nil {
		conn.received(event, m.Data)
	}
	if r == nil && event == wire.Large && !l.options.fleet {
		l.tell(wire.Drop, "", number, nil) // the request ended while its answer was on its way
	}
}

// What the NATS server sends to the reply subject of a message without a subscriber.
const (
	statusHeader = "Status"
	noResponders = "503"
)

// unheard ends a request of which a message had no subscriber: the server has ended in the
// hub, or the hub is ending.
func (l *link) unheard(reply string) {
	number, ok := l.names.ParseReply(reply)
	if !ok {
		return
	}
	r, _ := l.find(number)
	if r != nil {
		l.doubt(r.subject)
	}
	switch {
	case r == nil: // it has ended meanwhile
	case r.heard:
		r.finish(nil, lostDuring(r.about, l.options.unheard()))
	default:
		r.finish(nil, notSent(r.about, l.options.unheard()))
	}
}

func (o linkOptions) unheard() error {
	if o.fleet {
		return errNoHub
	}
	return errUnheard
}

var (
	errUnheard = errors.New("the server is not in the hub any more, or the hub is ending")
	errNoHub   = errors.New("no hub of the fleet offers the server at present")
)

// publish sends a message. The error says that it was certainly not sent.
func (l *link) publish(subject string, number uint64, header nats.Header, payload []byte) error {
	return l.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: l.names.Reply(number), Header: header, Data: payload})
}

// tell sends a message to a hub that has no answer. In a fleet, hub is its id.
func (l *link) tell(verb, hub string, number uint64, payload []byte) {
	_ = l.publish(l.names.Hub(verb, hub), number, nil, payload) // if the connection has ended, the hub knows
}

// ask sends a request to a subject and waits for the answer.
func (l *link) ask(ctx context.Context, subject string, payload []byte, about toolscript.Error, conn *Conn) ([]byte, error) {
	type answer struct {
		payload []byte
		err     error
	}
	answers := make(chan answer, 1)
	r := &request{about: about, ctx: ctx, subject: subject, done: func(payload []byte, err error) { answers <- answer{payload, err} }}
	if err := l.add(r, conn); err != nil {
		return nil, notSent(about, err)
	}
	if err := l.publish(subject, r.number, nil, payload); err != nil {
		l.take(r.number)
		return nil, notSent(about, err)
	}
	select {
	case a := <-answers:
		return a.payload, a.err
	case <-ctx.Done():
		if l.take(r.number) {
			r.over()
			r.tell(wire.Drop, nil)
			return nil, named(toolscript.ContextError(ctx), about)
		}
		a := <-answers
		return a.payload, a.err
	}
}
