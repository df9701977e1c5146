package remote

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

// openTime is how long the handshake waits for the stream of what the server says
// unasked.
const openTime = time.Second

// listen begins to read what the server says unasked in the session that has
// just begun, and waits a moment for the stream to open: what the server says
// before is lost. MCP 2026-07-28 has subscriptions in its place.
func (h *HTTP) listen(waiting context.Context) {
	if h.modern() {
		return
	}
	open := make(chan struct{})
	h.listenUntil(sync.OnceFunc(func() { close(open) }))
	select {
	case <-open:
	case <-time.After(openTime): // some servers answer when they have something to say
	case <-waiting.Done():
	}
}

// listenUntil begins to listen, and tells when it is known whether the server
// has such a stream.
func (h *HTTP) listenUntil(known func()) {
	ctx, cancel := context.WithCancel(h.life)
	h.session.Lock()
	h.hush() // the stream of the session before
	h.hush = cancel
	session := h.id
	h.session.Unlock()
	h.run(func() {
		defer cancel()
		defer known()
		h.listenIn(ctx, session, known)
	})
}

// listenIn reads the server's own stream, again and again, until ctx ends, the
// session does, or the server turns out to have no such stream.
func (h *HTTP) listenIn(ctx context.Context, session string, known func()) {
	from := newEvents(nil, h.Limit)
	opened := false
	for vain := 0; ctx.Err() == nil; vain++ {
		body, err := h.open(ctx, session, from.lastID)
		known()
		if err == nil {
			opened = true
			from = from.onward(body)
			h.hear(ctx, session, from)
			_ = body.Close() // it has been read to its end
		}
		if from.count > 0 {
			vain = 0
		}
		if err != nil && ctx.Err() == nil && !h.listenOn(session, opened, err) {
			return
		}
		if !pause(ctx, delay(from, min(vain, maxResumes))) {
			return
		}
	}
}

// hear hands on what the server says until the stream ends.
func (h *HTTP) hear(ctx context.Context, session string, from *events) {
	for {
		e, err := from.read()
		switch {
		case errors.Is(err, ErrTooLarge):
			h.Log(slog.LevelWarn, "a message of more than %d MB was left out", h.Limit>>20)
		case err != nil:
			return
		default:
			if response := h.take(ctx, e.data, h.replyIn(session)); response != nil {
				h.deliver(response)
			}
		}
	}
}

// listenOn draws the consequence of a stream that did not open, and reports
// whether to try again.
func (h *HTTP) listenOn(session string, opened bool, err error) bool {
	var over *SessionError
	var unreachable *UnreachableError
	var unauthorized *UnauthorizedError
	switch {
	case errors.As(err, &over):
		if opened { // else the server has no such stream, and 404 is its word for 405
			h.expired(session)
		}
		return false
	case errors.As(err, &unreachable), errors.As(err, &unauthorized), toolscript.KindOf(err) == toolscript.Unauthorized:
		h.Fail(err)
		return false
	case passing(err):
		return true
	default:
		h.Log(slog.LevelDebug, "the server says nothing unasked: %v", err)
		return false
	}
}
