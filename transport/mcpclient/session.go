package mcpclient

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// renewTime limits the handshake of a new session.
const renewTime = 20 * time.Second

// sessions lets one goroutine open the next session while the others wait for it.
type sessions struct {
	mu   sync.Mutex
	next *renewal // in progress or finished; nil before the first renewal
}

// renewal is one handshake that replaces an ended session.
type renewal struct {
	of   string // the session that ended
	done chan struct{}
	err  error // valid after done is closed
}

// mayRepeat reports whether a failed request should be sent once more. This requires two things.
// First, the connection broke before the answer, or the server has ended the session and a new
// session is open. Second, it is certain that the server did not execute the request, or the tool's
// annotations allow a repeated call.
func (c *Conn) mayRepeat(ctx context.Context, about toolscript.Error, method string, err error) bool {
	var over *httptransport.SessionError
	var broke *httptransport.InterruptedError
	switch harmless := method != "tools/call" || c.harmless(about.Tool); {
	case errors.As(err, &over):
		return c.renew(ctx, over.Session) == nil && (over.Untouched || harmless)
	case errors.As(err, &broke):
		return broke.Early && harmless && ctx.Err() == nil
	default:
		return false
	}
}

// renew replaces an ended session. Concurrent calls for the same session share one
// handshake. If the handshake fails, the connection ends.
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

// begin performs one renewal, and reports that the tools may have changed.
func (c *Conn) begin(r *renewal) {
	defer close(r.done)
	defer rescue.Catch(panicked(c.on, func() { r.err = upstream.ErrFault; c.end(upstream.ErrFault) }))
	ctx, cancel := context.WithTimeout(context.Background(), renewTime)
	defer cancel()
	c.on.Logf(slog.LevelInfo, "the server has ended the session; a new one begins")
	if _, r.err = c.initialize(ctx); r.err != nil {
		if httptransport.Unauthorized(r.err) { // the caller of the request gets a more precise error
			c.endAfter(context.Background(), r.err)
		} else {
			c.end(r.err)
		}
		return
	}
	c.announceAgain(ctx)
	c.on.NoteToolsChanged()
}

// expired renews a session in the background. The stream of unsolicited messages calls it when it
// notices that the session has ended.
func (c *Conn) expired(session string) {
	go func() { _ = c.renew(context.Background(), session) }() // takes at most renewTime; begin reports errors
}
