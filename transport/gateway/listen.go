package gateway

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

// Listen binds host and port; port 0 takes any free one, and "" and localhost
// are 127.0.0.1. The port is bound when Listen returns, so its number can be
// told before anything is served.
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
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &toolscript.Error{
			Kind: toolscript.Conflict,
			Err:  fmt.Errorf("port %d is in use; choose another with --port, or --port 0 for any free one", port),
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

// errShuttingDown is the cause with which the contexts of requests end.
var errShuttingDown = &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("the gateway is shutting down")}

// errCut is what Shutdown answers when it had to cut connections.
var errCut = errors.New("requests did not end in time and were cut")

// Shutdown stops listening, refuses further requests, cancels those under way
// and waits until they are answered, at most until ctx ends; then it cuts their
// connections. Connections that are idle, silent or in the middle of sending a
// request are not waited for.
func (s *Server) Shutdown(ctx context.Context) error {
	idle := s.flight.drain()
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

// flight counts the requests under way. A WaitGroup would not do: its Add may
// not race with its Wait.
type flight struct {
	mu       sync.Mutex
	n        int
	draining bool
	idle     chan struct{} // closed when draining and n is 0
}

// begin counts one request in; it reports false, and counts nothing, when no
// more may begin.
func (f *flight) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.draining {
		return false
	}
	f.n++
	return true
}

func (f *flight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	if f.draining && f.n == 0 {
		close(f.idle)
	}
}

// drain lets no more requests begin and answers with a channel that is closed
// when the last one has ended.
func (f *flight) drain() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.draining {
		f.draining = true
		f.idle = make(chan struct{})
		if f.n == 0 {
			close(f.idle)
		}
	}
	return f.idle
}

// The times that bound connections.
const (
	idleTimeout = 60 * time.Second // between two requests of a connection
	stallLimit  = 5 * time.Minute  // a client that takes none of our bytes for so long is gone; a pager may pause
	hurryLimit  = time.Second      // the same while the gateway is shutting down
	lingerLimit = time.Second      // between two pieces of what a client still sends that has been refused
	lingerMost  = 10 * time.Second // for all of them
)
