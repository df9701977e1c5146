package mcpclient

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient/remote"
)

// renewTime bounds the handshake that begins another session.
const renewTime = 20 * time.Second

// sessions lets one goroutine begin the next session and all others wait for it.
type sessions struct {
	mu   sync.Mutex
	next *renewal // under way or over; nil before the first one
}

// renewal is one handshake in the place of a session that has ended.
type renewal struct {
	of   string // the session that ended
	done chan struct{}
	err  error // read after done
}

// mayRepeat reports whether a request that failed should be sent once more: the
// server has ended the session, another one has begun, and the server has either
// certainly not carried the request out or said of the tool that calling it
// again does no harm.
func (c *Conn) mayRepeat(ctx context.Context, about toolscript.Error, method string, err error) bool {
	var over *remote.SessionError
	if !errors.As(err, &over) {
		return false
	}
	return c.renew(ctx, over.Session) == nil && (over.Untouched || method != "tools/call" || c.harmless(about.Tool))
}

// renew begins another session in the place of one that has ended. Whoever
// learns of the same end waits for the same handshake. Where it fails, the
// connection ends.
func (c *Conn) renew(ctx context.Context, ended string) error {
	c.sessions.mu.Lock()
	r := c.sessions.next
	if r == nil || r.of != ended {
		r = &renewal{of: ended, done: make(chan struct{})}
		c.sessions.next = r
		go c.begin(r)
	}
	c.sessions.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin does one renewal. Another session may have other tools.
func (c *Conn) begin(r *renewal) {
	defer close(r.done)
	defer recovered(c.on, func() { r.err = errFault; c.end(errFault) })
	ctx, cancel := context.WithTimeout(context.Background(), renewTime)
	defer cancel()
	c.on.logf(slog.LevelInfo, "the server has ended the session; another one begins")
	if _, r.err = c.initialize(ctx); r.err != nil {
		c.end(r.err)
		return
	}
	c.on.changed(c.on.ToolsChanged)
	c.on.changed(c.on.ResourcesChanged)
	c.on.changed(c.on.PromptsChanged)
}

// expired is told of a session that ended while nobody asked for anything.
func (c *Conn) expired(session string) {
	go func() { _ = c.renew(context.Background(), session) }() // ends within renewTime, and says so itself
}
