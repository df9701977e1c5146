package mcp

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// notifier receives the notifications about a request before its response.
type notifier interface{ notify(message []byte) }

type notifierKey struct{}

func withNotifier(ctx context.Context, n notifier) context.Context {
	return context.WithValue(ctx, notifierKey{}, n)
}

// notifierIn returns the notifier of a request, or nil if the client gets no notifications.
func notifierIn(ctx context.Context) notifier {
	n, _ := ctx.Value(notifierKey{}).(notifier)
	return n
}

// stream is the response to an HTTP request. Notifications about the request are events in
// the response. Those of mcp-go are not used, because they go to any stream of the session.
type stream struct {
	http.ResponseWriter
	flusher http.Flusher
	header  http.Header // header set by the handler, until it is written

	mu      sync.Mutex
	begun   bool // the header has been written
	wrap    bool // mcp-go writes JSON, but the response has begun as a stream of events
	dropped bool // the request was cancelled, so it gets no response
	ended   bool
	written time.Time
}

// newStream returns a stream, or nil if the client does not accept events.
func newStream(w http.ResponseWriter, r *http.Request) *stream {
	flusher, can := w.(http.Flusher)
	accepted := strings.Join(r.Header.Values("Accept"), ",")
	if !can || !strings.Contains(accepted, "text/event-stream") && !strings.Contains(accepted, "*/*") {
		return nil
	}
	return &stream{ResponseWriter: w, flusher: flusher, header: http.Header{}, written: time.Now()}
}

// notify writes a message as an event.
func (s *stream) notify(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.dropped {
		return
	}
	s.begin()
	_, _ = s.event(message) // the client has gone
	s.flusher.Flush()
}

// drop makes the response end without an answer.
func (s *stream) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped = true
}

// end must be called after the response, because its writer is reused.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// begin writes the header of a stream of events, unless a header has been written.
func (s *stream) begin() {
	if !s.begun {
		s.begun = true
		s.ResponseWriter.Header().Set("Content-Type", "text/event-stream")
		s.ResponseWriter.Header().Set("Cache-Control", "no-cache")
		s.ResponseWriter.WriteHeader(http.StatusOK)
	}
}

func (s *stream) event(message []byte) (int, error) {
	s.written = time.Now()
	return s.ResponseWriter.Write(append(append([]byte("event: message\ndata: "), bytes.TrimSpace(message)...), "\n\n"...))
}

// Header implements http.ResponseWriter.
func (s *stream) Header() http.Header { return s.header }

// WriteHeader implements http.ResponseWriter.
func (s *stream) WriteHeader(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped {
		s.begin()
	}
	if s.begun {
		s.wrap = s.header.Get("Content-Type") != "text/event-stream"
		return
	}
	s.begun = true
	maps.Copy(s.ResponseWriter.Header(), s.header)
	s.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter. mcp-go writes each event, and each JSON response,
// with one call.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.begun = true
		maps.Copy(s.ResponseWriter.Header(), s.header)
	}
	switch {
	case s.dropped:
		return len(p), nil
	case !s.wrap:
		s.written = time.Now()
		return s.ResponseWriter.Write(p)
	}
	_, err := s.event(p)
	return len(p), err
}

// Flush implements http.Flusher.
func (s *stream) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flusher.Flush()
}

// keepAliveTime is the time without data after which a comment is sent on a stream. Proxies
// and some clients close connections that are silent for a minute.
const keepAliveTime = 25 * time.Second

// keepAlive sends comments while the stream is silent, until stop is called. A response
// that has not begun becomes a stream of events with the first comment.
func (s *stream) keepAlive() (stop func()) {
	ended := make(chan struct{})
	go func() {
		timer := time.NewTimer(keepAliveTime)
		defer timer.Stop()
		for {
			select {
			case <-ended:
				return
			case <-timer.C:
				timer.Reset(s.comment())
			}
		}
	}()
	return func() { close(ended) }
}

// comment writes a comment if the stream was silent for keepAliveTime. It returns the time
// until the next check.
func (s *stream) comment() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if silent := time.Since(s.written); silent < keepAliveTime {
		return keepAliveTime - silent
	}
	if !s.ended && !s.dropped && (!s.begun || s.wrap || s.ResponseWriter.Header().Get("Content-Type") == "text/event-stream") {
		s.begin()
		_, _ = s.ResponseWriter.Write([]byte(":\n\n")) // the client has gone
		s.flusher.Flush()
	}
	s.written = time.Now()
	return keepAliveTime
}
