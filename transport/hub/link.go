package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	pingInterval = 10 * time.Second // between two pings to a hub that sends nothing
	pingsOut     = 2                // unanswered pings that end the connection
	flushTime    = 10 * time.Second // bounds the wait until the hub has read the buffered messages
)

// link is the connection of a gateway to a hub. All messages of the hub arrive in one
// goroutine, in order, which must not block.
type link struct {
	names   wire.Names
	options linkOptions
	nc      *nats.Conn
	gone    chan struct{} // closed when the connection has ended
	leaving atomic.Bool   // the gateway ends
	box     outbox
	pacer   *wire.Pacer // sends arguments in pieces
	delay   delay

	mu       sync.Mutex
	peers    map[string]*peer // hubs by id; "": the hub of this host
	why      error            // why the connection has ended; nil while it is up
	ending   bool             // the hub takes no more requests
	last     uint64
	requests map[uint64]*request
	conns    map[uint64]*Conn // by the number of their offer
	users    map[*FleetConn]struct{}
	routes   map[string]*route // by server
	looking  bool              // look is due, see attend
}

// linkOptions configure a link.
type linkOptions struct {
	Answers *budget.Budget
	Logger  *slog.Logger
	fleet   bool // connected to a fleet; otherwise to the hub of this host
}

func (o linkOptions) peer() string {
	if o.fleet {
		return "the fleet"
	}
	return "the hub"
}

// connectHub connects to the NATS server of a hub over an existing connection.
func connectHub(id, password string, conn net.Conn) func(...nats.Option) (*nats.Conn, error) {
	return func(o ...nats.Option) (*nats.Conn, error) {
		return nats.Connect("nats://hub", append(o, nats.UserInfo(id, password), nats.SetCustomDialer(oneConn{conn}),
			nats.SkipHostLookup(), nats.IgnoreDiscoveredServers(), nats.Timeout(handshakeTime))...)
	}
}

// newLink connects, and subscribes to the messages for the gateway.
func newLink(names wire.Names, o linkOptions, connect func(...nats.Option) (*nats.Conn, error)) (*link, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	l := &link{
		names: names, options: o, gone: make(chan struct{}), requests: map[uint64]*request{}, conns: map[uint64]*Conn{},
		users: map[*FleetConn]struct{}{}, routes: map[string]*route{}, peers: map[string]*peer{},
	}
	nc, err := connect(nats.Name("toolscript gateway"), nats.NoReconnect(), nats.CustomInboxPrefix(names.Inbox()+"inbox"),
		nats.FlusherTimeout(flushTime), nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(pingsOut),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.failed(err) }))
	if err != nil {
		return nil, err
	}
	l.nc, l.pacer = nc, wire.NewPacer(nc.Flush)
	l.box.write = func(m letter) error { return l.publish(m.subject, m.number, m.header, m.payload) }
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

// oneConn is a dialer that returns an existing connection.
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
		if l.box.withdraw(r.number) {
			r.end(nil, notSent(r.about, why))
			continue
		}
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

// lostDuring returns the error of a request that was in flight when the connection ended.
func lostDuring(about toolscript.Error, why error) *toolscript.Error {
	about.Kind, about.Sent, about.RetryAfter = toolscript.Unavailable, toolscript.SentUnknown, retryAfter
	about.Err = fmt.Errorf("%w; %s", why, toolscript.UnknownOutcome)
	return &about
}

// notSent returns the error of a request that was not sent.
func notSent(about toolscript.Error, why error) *toolscript.Error {
	about.Sent = toolscript.SentNo
	if errors.Is(why, nats.ErrMaxPayload) {
		about.Kind, about.Err = toolscript.TooLarge, errors.New("the request is too large for the hub, and was not sent")
		return &about
	}
	about.Kind, about.RetryAfter = toolscript.Unavailable, retryAfter
	about.Err = fmt.Errorf("%w: %w; the call was not sent", upstream.ErrUnreachable, why)
	return &about
}

// add numbers a request and sends it, and registers conn under the same number if it is not
// nil.
func (l *link) add(r *request, conn *Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return l.why
	}
	if l.ending && !r.late {
		return errEnding
	}
	l.last++
	r.number, r.link, r.begun = l.last, l, time.Now()
	l.requests[r.number] = r
	l.attend()
	if conn != nil {
		conn.offer = r.number
		l.conns[r.number] = conn
	}
	if r.send != nil {
		r.send()
	}
	return nil
}

// take removes a request, and reports whether it was there. If so, the caller must end it.
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

// peer is the state of a hub, as the gateway knows it.
type peer struct {
	flow  wire.Flow // bounds the pieces of its answers
	heard time.Time // when the last message of the hub arrived
}

// peer returns the peer of a hub. It is called with mu held.
func (l *link) peer(hub string) *peer {
	p := l.peers[hub]
	if p == nil {
		p = &peer{}
		l.peers[hub] = p
	}
	return p
}

// flowOf returns the Flow that bounds the pieces of answers on their way from a hub.
func (l *link) flowOf(hub string) *wire.Flow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &l.peer(hub).flow
}

// heardOf records a sign of life of the hub that has a request.
func (l *link) heardOf(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.peer(r.hub).heard = time.Now()
}

// forget removes a connection to a server.
func (l *link) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c.offer)
}

// watch ends a connection to a server of a fleet when the link ends. It returns false if
// the link has already ended.
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
	l.delay.heard(time.Now())
	if m.Header.Get(statusHeader) == noResponders {
		l.unheard(m.Subject)
		return
	}
	number, event, ok := l.names.Event(m.Subject)
	if !ok {
		return
	}
	r, conn := l.find(number)
	if event == wire.Ending && !l.options.fleet {
		l.settle()
		return
	}
	switch event {
	case wire.Taken:
		l.taken(r, number, m.Data)
		return
	case wire.Confirm:
		l.confirm(r, number, m.Data)
		return
	}
	if r != nil {
		r.heard = true
		l.heardOf(r)
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

// confirm tells a hub that is about to begin a call whether the gateway still waits for it. r is
// nil if the call has ended.
func (l *link) confirm(r *request, number uint64, payload []byte) {
	var by wire.Confirmation
	if json.Unmarshal(payload, &by) != nil || l.options.fleet && !wire.ValidID(by.Hub) {
		return
	}
	answer, _ := json.Marshal(wire.Confirmed{Asked: by.Asked, Clock: cluster.Uptime(), Over: r == nil || r.ctx.Err() != nil}) // such a struct always has a JSON form
	l.tell(wire.Confirm, by.Hub, number, answer)
}

var errEnding = errors.New("the hub is ending")

// settle stops requests to a hub that is ending. Requests in flight go on. The connections to
// servers end, so that the gateway dials the next hub.
func (l *link) settle() {
	l.mu.Lock()
	l.ending = true
	conns := slices.Collect(maps.Values(l.conns))
	l.mu.Unlock()
	l.tell(wire.Settled, "", 0, nil)
	for _, c := range conns {
		c.lose(&toolscript.Error{Kind: toolscript.Unavailable, Server: c.name, RetryAfter: retryAfter, Err: errEnding})
	}
}

// The header that the NATS server sends to the reply subject of a message without a subscriber.
const (
	statusHeader = "Status"
	noResponders = "503"
)

// unheard ends a request after one of its messages had no subscriber: the server has ended in
// the hub, or the hub is ending.
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
	case r.elsewhere():
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

// publish sends a message. An error means that it was certainly not sent. publish blocks while
// the hub does not read.
func (l *link) publish(subject string, number uint64, header nats.Header, payload []byte) error {
	return l.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: l.names.Reply(number), Header: header, Data: payload})
}

// tell sends a message that has no answer. In a fleet, hub is the id of the hub.
func (l *link) tell(verb, hub string, number uint64, payload []byte) {
	l.box.put(letter{subject: l.names.Hub(verb, hub), number: number, payload: payload}) // if the connection has ended, the hub knows
}

// ask sends a request to a subject and waits for the answer.
func (l *link) ask(ctx context.Context, subject string, payload []byte, about toolscript.Error, conn *Conn) ([]byte, error) {
	return l.exchange(ctx, &request{about: about, subject: subject}, payload, conn)
}

func (l *link) exchange(ctx context.Context, r *request, payload []byte, conn *Conn) ([]byte, error) {
	type answer struct {
		payload []byte
		err     error
	}
	answers := make(chan answer, 1)
	r.ctx, r.done = ctx, func(payload []byte, err error) { answers <- answer{payload, err} }
	about := r.about
	r.send = func() {
		l.box.put(letter{r.subject, r.number, nil, payload, func(err error) { r.finish(nil, notSent(about, err)) }})
	}
	if err := l.add(r, conn); err != nil {
		return nil, notSent(about, err)
	}
	select {
	case a := <-answers:
		return a.payload, a.err
	case <-ctx.Done():
		if l.take(r.number) {
			r.over()
			if !l.box.withdraw(r.number) {
				r.tell(wire.Drop, nil)
			}
			return nil, named(toolscript.ContextError(ctx), about)
		}
		a := <-answers
		return a.payload, a.err
	}
}
