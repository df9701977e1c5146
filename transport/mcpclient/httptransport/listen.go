package httptransport

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// openTime is the maximum time that the handshake waits for the stream of unsolicited
// messages.
const openTime = time.Second

// listen starts to read unsolicited messages in the session that has just begun. It waits up to
// openTime until the stream is open, because messages before that are lost. In MCP 2026-07-28,
// subscriptions replace this stream.
func (h *HTTP) listen(waiting context.Context) {
	if h.modern() {
		return
	}
	open := make(chan struct{})
	h.listenUntil(sync.OnceFunc(func() { close(open) }))
	select {
	case <-open:
	case <-time.After(openTime): // some servers respond only when they have a message
	case <-waiting.Done():
	}
}

// listenUntil starts the reading goroutine. It calls known as soon as the server has
// accepted or refused the stream.
func (h *HTTP) listenUntil(known func()) {
	ctx, cancel := context.WithCancel(h.life)
	h.session.Lock()
	h.stopListening() // ends the stream of the previous session
	h.stopListening = cancel
	session, over := h.id, make(chan struct{})
	h.listened = over
	h.session.Unlock()
	h.run(func() {
		defer close(over)
		defer cancel()
		defer known()
		h.listenIn(ctx, session, known)
	})
}

// Listens reports whether the stream of unsolicited messages is open.
func (h *HTTP) Listens() bool { return h.listens.Load() }

// listenIn reads the server's stream, and opens it again when it ends. It returns when ctx or the
// session ends, or when the server refuses the stream permanently.
func (h *HTTP) listenIn(ctx context.Context, session string, known func()) {
	from := newEvents(nil, h.Limit)
	opened := false
	for failures := 0; ctx.Err() == nil; failures++ {
		body, err := h.open(ctx, session, from.lastID)
		known()
		if err == nil {
			opened = true
			from = from.onward(body)
			h.listens.Store(true)
			h.handleStream(ctx, session, from)
			h.listens.Store(false)
			_ = body.Close() // it has been read to its end
		}
		if err == nil && from.count > 0 {
			failures = 0
		}
		if err != nil && ctx.Err() == nil && !h.listenOn(session, opened, err) {
			return
		}
		wait := delay(from, min(failures, maxResumes))
		if refused := (*StatusError)(nil); errors.As(err, &refused) {
			wait = max(wait, refused.RetryAfter)
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// handleStream handles the messages of a stream until the stream ends.
func (h *HTTP) handleStream(ctx context.Context, session string, from *events) {
	for {
		lease := h.Answers.Lease(ctx)
		e, err := from.under(ctx, lease).read()
		switch {
		case errors.Is(err, ErrTooLarge):
			h.Log(slog.LevelWarn, "a message of more than %d MB was left out", h.Limit>>20)
		case err != nil:
			lease.Release()
			return
		default:
			response := h.take(ctx, e.data, h.replyIn(session), h.awaited)
			switch {
			case response == nil:
			case response.ID.IsNil() && session != "" && endsSession(response):
				lease.Release()
				h.expired(session)
				return
			case !h.tookNameless(response):
				h.deliver(response, lease)
			}
		}
		lease.Release()
	}
}

// listenOn handles a stream that did not open and reports whether to retry.
func (h *HTTP) listenOn(session string, opened bool, err error) bool {
	var over *SessionError
	var unreachable *UnreachableError
	switch {
	case errors.As(err, &over), opened && session != "" && Unauthorized(err):
		if opened { // otherwise the server has no such stream, and has returned 404 instead of 405
			h.expired(session)
		}
		return false
	case errors.As(err, &unreachable), Unauthorized(err):
		h.Fail(err)
		return false
	case passing(err):
		return true
	default:
		h.Log(slog.LevelDebug, "the server offers no stream of notifications: %v", err)
		return false
	}
}
