package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
)

// A connection over HTTP/2 on which nothing arrives for pingAfter is closed if a ping is not
// answered within pingTime.
const (
	pingAfter = 20 * time.Second
	pingTime  = 10 * time.Second
)

// forgetTime is the time after which net/http has certainly removed an ended request from its HTTP/2
// connection. It removes requests in another goroutine, and does not close a connection that still has
// one.
const forgetTime = time.Second

// line is an http.RoundTripper that can give up connections. A connection that was given up gets no new
// requests, and is closed after its last request. When a request times out, line gives up all its
// connections, because after an unnoticed loss of the network nothing arrives on any of them.
type line struct {
	template *http.Transport // settings of the connections; has no connections itself

	mu  sync.Mutex
	now *connections // connections for new requests; nil if there are none
}

// connections is a set of connections that are given up together. line.mu guards the fields.
type connections struct {
	*http.Transport
	requests int
	over     bool // the connections are given up
}

func newLine(template *http.Transport) *line { return &line{template: template} }

// RoundTrip implements http.RoundTripper.
func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	if l.now == nil {
		l.now = &connections{Transport: l.template.Clone()}
	}
	c := l.now
	c.requests++
	l.mu.Unlock()
	end := sync.OnceFunc(func() { l.end(r.Context(), c) })
	answer, err := c.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	answer.Body = &ending{answer.Body, end}
	return answer, nil
}

// end records the end of a request.
func (l *line) end(request context.Context, c *connections) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.requests--
	if late(request) {
		l.giveUp(c)
	}
	if c.over && c.requests == 0 {
		c.CloseIdleConnections()
		time.AfterFunc(forgetTime, c.CloseIdleConnections)
	}
}

// late reports whether a request has timed out.
func late(request context.Context) bool {
	why := context.Cause(request)
	return errors.Is(why, context.DeadlineExceeded) || toolscript.KindOf(why) == toolscript.Timeout
}

// giveUp gives up connections. The caller holds mu.
func (l *line) giveUp(c *connections) {
	if c.over = true; l.now == c {
		l.now = nil
	}
	c.CloseIdleConnections()
}

// CloseIdleConnections closes idle connections at once, and all others after their last request.
func (l *line) CloseIdleConnections() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil {
		l.giveUp(l.now)
	}
}

// ending is the body of an answer that reports its end.
type ending struct {
	io.ReadCloser
	end func()
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil {
		e.end()
	}
	return n, err
}

func (e *ending) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}
