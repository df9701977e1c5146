package mcp

import "time"

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
