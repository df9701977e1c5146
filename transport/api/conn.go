package api

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// conn is the connection of one client.
type conn struct {
	net.Conn
	listener *listener
	unread   atomic.Bool // the client may still send bytes that are not read
	reading  atomic.Bool // a Read is in progress

	first    [1]byte // the byte that the listener has read in advance
	begun    bool    // Read has not returned first yet
	firstErr error   // the error that the listener's read returned instead of a byte

	// The fields of the listener, guarded by its lock.
	since   time.Time // time of the last change: connected, or idle
	silent  bool      // the client has sent nothing
	known   bool      // a request on the connection had a capability
	idle    bool      // between two requests
	busy    bool      // a request without a capability is being answered
	refused bool      // no further input is read
	evicted bool      // being closed to make room

	mu      sync.Mutex // guards ended with the read deadline, and closing with the write deadline
	ended   bool
	closing bool
}

// endReads makes the current Read and all later ones return io.EOF.
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

// SetReadDeadline does nothing after endReads.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) Read(p []byte) (int, error) {
	if c.begun && len(p) > 0 {
		c.begun = false
		p[0] = c.first[0]
		return 1, nil
	}
	if err := c.firstErr; err != nil {
		c.firstErr = nil
		return 0, err
	}
	c.reading.Store(true)
	defer c.reading.Store(false)
	n, err := c.Conn.Read(p)
	if err != nil && c.hasEnded() {
		err = io.EOF // fasthttp closes the connection after io.EOF without an answer, but answers a time-out
	}
	return n, err
}

// Write fails if the client reads nothing for stallLimit. The write time-out of fasthttp
// counts from the start of an answer, so it would end streams.
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
	if c.closing {
		limit = shutdownStall
	}
	return c.SetWriteDeadline(time.Now().Add(limit))
}

// limitWrites limits the current Write and all later ones to shutdownStall, because the gateway
// is shutting down.
func (c *conn) limitWrites() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	_ = c.SetWriteDeadline(time.Now().Add(shutdownStall)) // fails only on a closed connection
}

// Close closes the connection. If the client may still be sending, Close first ends the
// sending side and discards input for a moment: a close with unread bytes sends a reset,
// and then the kernel of the client discards the answer.
func (c *conn) Close() error {
	defer c.listener.forget(c)
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if ok && c.unread.Load() && half.CloseWrite() == nil {
		c.discardInput()
	}
	return c.Conn.Close()
}

// discardInput discards input until the client ends it or pauses for discardPause, for at
// most discardMost: many megabytes may take a while on a busy machine.
func (c *conn) discardInput() {
	buffer := make([]byte, 4<<10) // small, because many connections may do so at once
	for end := time.Now().Add(discardMost); time.Now().Before(end); {
		if c.SetReadDeadline(time.Now().Add(discardPause)) != nil {
			return
		}
		if _, err := c.Read(buffer); err != nil {
			return
		}
	}
}
