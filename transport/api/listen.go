package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
)

// wsaAddrInUse is the error of Windows for a port in use. syscall has no name for it.
const wsaAddrInUse = syscall.Errno(10048)

// Listen listens on host and port. Port 0 selects a free port; "" and localhost mean
// 127.0.0.1. The port is bound when Listen returns, so its number is known before the
// gateway serves.
func Listen(host string, port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("port %d is not between 0 and 65535", port)}
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	addr := net.JoinHostPort(host, strconv.Itoa(port))
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	switch {
	case err == nil:
		return ln, nil
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, wsaAddrInUse):
		return nil, &toolscript.Error{
			Kind: toolscript.Conflict,
			Err:  fmt.Errorf("port %d is in use; choose another with --port, or --port 0 for any free port", port),
		}
	case errors.Is(err, syscall.EACCES):
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("not allowed to listen on %s; choose a --port above 1023", addr)}
	default:
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("cannot listen on %s: %w", addr, err)}
	}
}

// Serve answers requests until Shutdown.
func (s *Server) Serve() error {
	return s.app.Listener(s.listener)
}

// errShuttingDown is the cause of request contexts when the gateway shuts down.
var errShuttingDown = &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("the gateway is shutting down")}

// errCut is the error of Shutdown if it closed connections with requests in progress.
var errCut = errors.New("requests did not end in time and were cut")

// Shutdown stops listening, refuses new requests, cancels the requests in progress and
// waits for their answers, at most until ctx ends. Then it closes their connections. It
// does not wait for connections that are idle or are sending a request.
func (s *Server) Shutdown(ctx context.Context) error {
	idle := s.requests.drain()
	s.cancel(errShuttingDown)
	s.listener.drain()
	err := s.app.ShutdownWithContext(ctx)
	select {
	case <-idle:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.shut.Do(func() { close(s.closed) })
	s.listener.cut()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return errCut
	}
	return err
}

// requestCounter counts the requests in progress. It is not a WaitGroup because Add may not
// race with Wait.
type requestCounter struct {
	mu       sync.Mutex
	n        int
	draining bool
	idle     chan struct{} // closed when draining is set and n is 0
}

// begin counts a request. It returns false after drain.
func (c *requestCounter) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draining {
		return false
	}
	c.n++
	return true
}

func (c *requestCounter) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.draining && c.n == 0 {
		close(c.idle)
	}
}

// drain makes begin return false. The returned channel is closed when all requests have ended.
func (c *requestCounter) drain() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining {
		c.draining = true
		c.idle = make(chan struct{})
		if c.n == 0 {
			close(c.idle)
		}
	}
	return c.idle
}

// Time limits of connections.
const (
	idleTimeout   = 60 * time.Second // between two requests on a connection
	headerTime    = 10 * time.Second // for the header of a request
	bodyWait      = 30 * time.Second // for memory for a large body
	stallLimit    = 5 * time.Minute  // for a client that reads nothing; a pager may pause
	shutdownStall = time.Second      // the same during the shutdown
	discardPause  = time.Second      // between two reads of input that is discarded
	discardMost   = 10 * time.Second // for all of that input
)
