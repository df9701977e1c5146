package api

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// Limits of connections. Every program of this machine can connect, and each connection
// uses a descriptor.
const (
	mostSilent    = 1024        // connections that have sent nothing; at most a quarter of the descriptors
	mostConns     = 1024        // other connections, each with a buffer of headerLimit bytes; at most another quarter
	maxUnverified = 256         // other connections without a capability; at most half of them
	grace         = time.Second // minimum time for the next bytes of a connection before it is closed for another one

	firstPause = 5 * time.Millisecond // first wait after an Accept that failed for lack of a resource
	mostPause  = time.Second
	warnEvery  = time.Minute
)

// listener tracks and bounds the connections, which fiber and fasthttp do not do: their
// shutdown waits for silent connections without end, and does not end streams. A connection
// that has sent nothing uses a goroutine but no buffer, because clients open connections in
// advance. At a limit, the oldest connection without a capability is closed, else the
// connection that has been idle for longest. Connections with a request in progress, or
// younger than grace, are never closed because of a limit.
type listener struct {
	net.Listener
	close      func() error // closes Listener once: fasthttp's shutdown stops if a second close fails
	closing    chan struct{}
	log        *slog.Logger
	most       int
	silent     int
	unverified int

	begin   sync.Once
	ready   chan *conn    // connections that have sent something
	failed  chan struct{} // closed when Accept must fail
	failure error         // the reason; read after failed is closed

	mu       sync.Mutex
	changed  *sync.Cond // a connection has ended or begun to send, or draining has begun
	conns    map[*conn]struct{}
	draining bool
	warned   time.Time
}

func newListener(inner net.Listener, log *slog.Logger) *listener {
	closing := make(chan struct{})
	quarter := max(2, descriptors()/4)
	most := min(mostConns, quarter)
	l := &listener{
		Listener: inner, closing: closing, log: log,
		most: most, silent: min(mostSilent, quarter), unverified: min(maxUnverified, most/2),
		ready: make(chan *conn), failed: make(chan struct{}),
		conns: map[*conn]struct{}{},
		close: sync.OnceValue(func() error {
			close(closing)
			return inner.Close()
		}),
	}
	l.changed = sync.NewCond(&l.mu)
	return l
}

func (l *listener) Close() error { return l.close() }

// Accept waits for a connection that has sent something, and until there is room for it.
func (l *listener) Accept() (net.Conn, error) {
	l.begin.Do(func() { go l.pump() })
	select {
	case c := <-l.ready:
		l.mu.Lock()
		defer l.mu.Unlock()
		for !l.draining && l.full() {
			l.pauseAccept()
		}
		c.since, c.silent = time.Now(), false
		l.changed.Broadcast()
		return c, nil
	case <-l.failed:
		return nil, l.failure
	}
}

// pump accepts connections while there is room for silent connections.
func (l *listener) pump() {
	for {
		inner, err := l.accept()
		if err != nil {
			l.failure = err
			close(l.failed)
			return
		}
		c := &conn{Conn: inner, listener: l, silent: true}
		l.mu.Lock()
		for !l.draining && l.crowded() {
			l.pauseAccept()
		}
		c.since = time.Now()
		l.conns[c] = struct{}{}
		if l.draining {
			c.endReads()
			c.limitWrites()
		}
		l.mu.Unlock()
		go l.await(c)
	}
}

// await waits for the first byte of a connection and hands the connection to Accept. A
// connection that sends nothing in time is handed over too, and gets an error.
func (l *listener) await(c *conn) {
	_ = c.SetReadDeadline(time.Now().Add(headerTime)) // fails only on a closed connection
	var late net.Error
	n, err := c.Read(c.first[:])
	if c.begun = n > 0; !c.begun && (!errors.As(err, &late) || !late.Timeout()) {
		_ = c.Close() // it has ended
		return
	}
	c.firstErr = err
	select {
	case l.ready <- c:
	case <-l.failed:
		_ = c.Close() // the listener is closed
	}
}

// accept retries while the system lacks descriptors or memory. fasthttp ends its server
// at the first such error.
func (l *listener) accept() (net.Conn, error) {
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		inner, err := l.Listener.Accept()
		if err == nil || !passes(err) {
			return inner, err
		}
		l.closeAfterError(err)
		select {
		case <-time.After(pause):
		case <-l.closing:
		}
	}
}

// passes reports whether an error of Accept is temporary.
func passes(err error) bool {
	for _, lack := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// closeAfterError closes a connection after an Accept that failed.
func (l *listener) closeAfterError(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if spare := l.spare(func(*conn) bool { return true }); spare != nil {
		spare.evict()
	}
	if time.Since(l.warned) >= warnEvery {
		l.warned = time.Now()
		l.log.Warn("cannot accept connections; the gateway retries", slog.String("error", err.Error()), slog.Int("connections", len(l.conns)))
	}
}

// full reports whether there is no room for another connection that has sent something. If
// so, it closes a connection if possible. It is called with mu held.
func (l *listener) full() bool {
	all, unverified := 0, 0
	for c := range l.conns {
		if !c.silent {
			all++
			if !c.known {
				unverified++
			}
		}
	}
	switch {
	case all >= l.most:
		l.closeOldest(func(c *conn) bool { return !c.silent })
	case unverified >= l.unverified: // closing a connection with a capability would not help
		l.closeOldest(func(c *conn) bool { return !c.silent && !c.known })
	default:
		return false
	}
	return true
}

// crowded is like full, but for silent connections. It is called with mu held.
func (l *listener) crowded() bool {
	silent := 0
	for c := range l.conns {
		if c.silent {
			silent++
		}
	}
	crowded := silent >= l.silent
	if crowded {
		l.closeOldest(func(c *conn) bool { return c.silent })
	}
	return crowded
}

// closeOldest closes an eligible connection, unless one is being closed already. It is
// called with mu held.
func (l *listener) closeOldest(eligible func(*conn) bool) {
	for c := range l.conns {
		if c.evicted && eligible(c) {
			return
		}
	}
	if spare := l.spare(eligible); spare != nil {
		spare.evict()
	}
}

// pauseAccept waits until a connection has ended, or is older than grace. It is called
// with mu held.
func (l *listener) pauseAccept() {
	timer := time.AfterFunc(grace/10, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changed.Broadcast()
	})
	defer timer.Stop()
	l.changed.Wait()
}

// spare returns the connection to close: the oldest without a capability, else the one that
// has been idle for longest; nil if there is none. It is called with mu held.
func (l *listener) spare(eligible func(*conn) bool) (spare *conn) {
	for c := range l.conns {
		if c.evicted || !eligible(c) || !c.refused && !c.waits() {
			continue
		}
		if spare == nil || spare.known && !c.known || spare.known == c.known && c.since.Before(spare.since) {
			spare = c
		}
	}
	return spare
}

// waits reports whether the gateway waits for input from the client, so that the connection
// may be closed. It is called with the listener's lock held.
func (c *conn) waits() bool {
	if c.busy || !c.reading.Load() || !c.idle && (c.known || time.Since(c.since) < grace) {
		return false
	}
	raw, ok := c.raw()
	return ok && !arrived(raw)
}

// state records whether a connection is idle; fasthttp calls it when the state changes.
func (l *listener) state(nc net.Conn, state fasthttp.ConnState) {
	c, ok := nc.(*conn)
	if !ok || state != fasthttp.StateIdle && state != fasthttp.StateActive {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.idle = state == fasthttp.StateIdle
	if c.idle && c.known {
		c.since = time.Now()
	}
}

// drain closes the listener and ends all reads from connections. Answers are still written.
func (l *listener) drain() {
	_ = l.Close() // it may be closed already
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draining = true
	for c := range l.conns {
		c.endReads()
		c.limitWrites()
	}
	l.changed.Broadcast()
}

// cut closes all remaining connections.
func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Conn.Close() // its fasthttp goroutine closes it again and removes it
	}
}

func (l *listener) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	l.changed.Broadcast()
}

// evict closes a connection to make room. Its fasthttp goroutine sees the end of the
// input and removes the connection. It is called with the listener's lock held.
func (c *conn) evict() {
	c.evicted = true
	c.endReads()
	_ = c.Conn.Close() // it may be closed already
}

// recognised records that a request on the connection had a capability.
func (c *conn) recognised() {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.known = true
}

// dismissed records that the request of the connection was refused, and that no other
// request will be answered on it.
func (c *conn) dismissed() {
	c.unread.Store(true)
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.refused = true
}

// occupied records whether an answer is in progress.
func (c *conn) occupied(busy bool) {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.busy = busy
}
