package mcpserver

import "time"

// keepAliveTime is the time without a byte after which a stream gets a comment. Proxies close
// connections that are silent for a minute, and some clients do.
const keepAliveTime = 25 * time.Second

// keepAlive sends comments in the silences of the stream until stop is called. A response that
// has not begun becomes a stream of events with the first of them.
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

// comment writes a comment if the stream was silent for keepAliveTime. The result is the time
// until the next one.
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
