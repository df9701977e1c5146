package gateway

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// listener knows the connections it accepted, which neither fiber nor fasthttp
// tells: their shutdown waits for a silent connection without end, and leaves a
// stream alone.
type listener struct {
	net.Listener
	close func() error // closes once: fasthttp's shutdown gives up when a second close fails

	mu       sync.Mutex
	conns    map[*conn]struct{}
	draining bool
}

func newListener(inner net.Listener) *listener {
	return &listener{Listener: inner, close: sync.OnceValue(inner.Close), conns: map[*conn]struct{}{}}
}

func (l *listener) Close() error { return l.close() }

func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	if l.draining {
		c.endReads()
		c.hurry()
	}
	return c, nil
}

// drain closes the listener and ends every wait for bytes of a client, now and
// later. Answers can still be written, to clients that take them.
func (l *listener) drain() {
	_ = l.Close() // closed already is as good
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draining = true
	for c := range l.conns {
		c.endReads()
		c.hurry()
	}
}

// cut closes every connection that is left.
func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		_ = c.Conn.Close() // its fasthttp goroutine closes it again and forgets it
	}
}

func (l *listener) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

// conn is one client's connection.
type conn struct {
	net.Conn
	listener *listener
	unread   atomic.Bool // the client may still be sending what will not be read

	mu      sync.Mutex // makes ended and the read deadline one thing, and hurried and the write deadline
	ended   bool
	hurried bool
}

// endReads makes the Read under way, and every later one, the end of the input.
func (c *conn) endReads() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection
}

func (c *conn) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// SetReadDeadline does nothing once reading has ended.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.hasEnded() {
		err = io.EOF // which fasthttp takes without an answer, unlike a time-out
	}
	return n, err
}

// Write fails when the client takes nothing for stallLimit. A write time-out of
// fasthttp would count from the start of an answer, and cut streams.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.allowWrite(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *conn) allowWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := stallLimit
	if c.hurried {
		limit = hurryLimit
	}
	return c.SetWriteDeadline(time.Now().Add(limit))
}

// hurry gives the client of the Write under way, and of every later one, no more
// than hurryLimit: the gateway is shutting down.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hurried = true
	_ = c.SetWriteDeadline(time.Now().Add(hurryLimit)) // fails only on a closed connection
}

// Close closes the connection. When the client may still be sending, it is
// first told the end of the answer and its bytes are thrown away for a moment:
// closing with unread bytes sends a reset, on which the client's kernel drops
// the answer that says why.
func (c *conn) Close() error {
	defer c.listener.forget(c)
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if ok && c.unread.Load() && half.CloseWrite() == nil {
		c.linger()
	}
	return c.Conn.Close()
}

// linger throws away what the client sends until it ends, or pauses for
// lingerLimit. Many megabytes take a busy machine longer than that, and a client
// that never ends has lingerMost.
func (c *conn) linger() {
	thrown := make([]byte, 32<<10)
	for end := time.Now().Add(lingerMost); time.Now().Before(end); {
		if c.SetReadDeadline(time.Now().Add(lingerLimit)) != nil {
			return
		}
		if _, err := c.Read(thrown); err != nil {
			return
		}
	}
}
