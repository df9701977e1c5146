package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
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
	id      string
	options ClientOptions
	nc      *nats.Conn
	gone    chan struct{} // closed when the connection has ended
	leaving atomic.Bool   // the gateway ends

	mu       sync.Mutex
	why      error // why the connection has ended; nil while it is up
	last     uint64
	requests map[uint64]*request
	conns    map[uint64]*Conn // by the number of their offer
}

func newLink(id, password string, conn net.Conn, o ClientOptions) (*link, error) {
	l := &link{id: id, options: o, gone: make(chan struct{}), requests: map[uint64]*request{}, conns: map[uint64]*Conn{}}
	nc, err := nats.Connect("nats://hub", nats.Name("toolscript gateway"), nats.UserInfo(id, password),
		nats.SetCustomDialer(oneConn{conn}), nats.SkipHostLookup(), nats.NoReconnect(), nats.IgnoreDiscoveredServers(),
		nats.CustomInboxPrefix(wire.GatewayPrefix(id)+"inbox"), nats.Timeout(handshakeTime), nats.FlusherTimeout(flushTime),
		nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(pingsOut),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Logger.Warn("error of the connection to the hub", slog.String("error", err.Error()))
		}))
	if err != nil {
		return nil, err
	}
	l.nc = nc
	nc.SetClosedHandler(func(nc *nats.Conn) { l.lose(lossOf(nc)) })
	incoming, err := nc.Subscribe(wire.GatewayPrefix(id)+">", l.received)
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

func lossOf(nc *nats.Conn) error {
	if err := nc.LastError(); err != nil {
		return fmt.Errorf("the connection to the hub was lost: %w", err)
	}
	return errors.New("the connection to the hub was lost: the hub has ended")
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
	requests, conns := l.requests, l.conns
	l.requests, l.conns = nil, nil
	close(l.gone)
	l.mu.Unlock()
	for _, r := range requests {
		r.end(nil, lostDuring(r.about, why))
	}
	for _, c := range conns {
		c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.definition.Name, RetryAfter: retryAfter, Err: why})
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
	r.number, r.link = l.last, l
	l.requests[r.number] = r
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

// received handles a message of the hub.
func (l *link) received(m *nats.Msg) {
	if m.Header.Get(statusHeader) == noResponders {
		l.unheard(m.Subject)
		return
	}
	number, event, ok := wire.ParseEvent(m.Subject, l.id)
	if !ok {
		return
	}
	r, conn := l.find(number)
	if r != nil {
		r.heard = true
	}
	if r != nil && r.received(event, m.Data) {
		return
	}
	if conn != nil {
		conn.received(event, m.Data)
	}
	if r == nil && event == wire.Large {
		l.tell(wire.Drop, number, nil) // the request ended while its answer was on its way
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
	_, number, ok := wire.ParseReply(reply)
	if !ok {
		return
	}
	r, _ := l.find(number)
	switch {
	case r == nil: // it has ended meanwhile
	case r.heard:
		r.finish(nil, lostDuring(r.about, errUnheard))
	default:
		r.finish(nil, notSent(r.about, errUnheard))
	}
}

var errUnheard = errors.New("the server is not in the hub any more, or the hub is ending")

// publish sends a message. The error says that it was certainly not sent.
func (l *link) publish(subject string, number uint64, header nats.Header, payload []byte) error {
	return l.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: wire.ReplySubject(l.id, number), Header: header, Data: payload})
}

// tell sends a message to the hub that has no answer.
func (l *link) tell(verb string, number uint64, payload []byte) {
	_ = l.publish(wire.HubSubject(verb, l.id), number, nil, payload) // if the connection has ended, the hub knows
}

// ask sends a request to the hub and waits for the answer.
func (l *link) ask(ctx context.Context, verb string, payload []byte, about toolscript.Error, conn *Conn) ([]byte, error) {
	type answer struct {
		payload []byte
		err     error
	}
	answers := make(chan answer, 1)
	r := &request{about: about, ctx: ctx, done: func(payload []byte, err error) { answers <- answer{payload, err} }}
	if err := l.add(r, conn); err != nil {
		return nil, notSent(about, err)
	}
	if err := l.publish(wire.HubSubject(verb, l.id), r.number, nil, payload); err != nil {
		l.take(r.number)
		return nil, notSent(about, err)
	}
	select {
	case a := <-answers:
		return a.payload, a.err
	case <-ctx.Done():
		if l.take(r.number) {
			r.over()
			l.tell(wire.Drop, r.number, nil)
			return nil, named(toolscript.ContextError(ctx), about)
		}
		a := <-answers
		return a.payload, a.err
	}
}

// credit says that the gateway has room for n more pieces of an answer.
func (l *link) credit(number uint64, n int) {
	l.tell(wire.Credit, number, []byte(strconv.Itoa(n)))
}
