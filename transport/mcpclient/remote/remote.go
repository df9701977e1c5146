// Package remote carries MCP messages over HTTP: streamable HTTP, and HTTP with
// server-sent events as MCP had it in 2024. Both are transports for mcp-go's
// client, which speaks the protocol through them.
//
// mcp-go v1.2.1 has transports of its own. They are not used because a stream
// that breaks off is not resumed there, nor is the stream that the server speaks
// on unasked; because calls on a dead SSE stream wait for their time limit and
// requests of an SSE server are dropped, pings among them; because nothing bounds
// what a server sends; and because every 4xx but 401 is taken for the sign of an
// old server.
package remote

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxServed   = 32              // requests of a server that are answered at the same time
	farewell    = 2 * time.Second // for telling the server that the session is over
	closeBound  = 2 * time.Second // for what runs in the background to see the end
	maxErrorDoc = 4 << 10         // bytes read of the body of a refusal
)

// Options are how a server is reached. All fields are needed, but for Headers.
type Options struct {
	URL     *url.URL
	Headers map[string]string // of every request; those of the protocol itself come after them
	Client  *http.Client      // made by NewClient
	Limit   int               // bytes of one message of the server
	Log     func(level slog.Level, format string, args ...any)
}

// wire is what both transports have: a life, an end with a reason, and the
// handlers of what the server says unasked.
type wire struct {
	Options
	life context.Context //nolint:containedctx // it is the life of the connection, which outlives every request
	end  context.CancelFunc
	work sync.WaitGroup

	gone chan struct{}
	once sync.Once
	why  error // read after gone

	served chan struct{} // holds one entry for each request of the server under way

	mu      sync.RWMutex
	version string
	notify  func(mcp.JSONRPCNotification)
	handle  transport.RequestHandler
}

func newWire(o Options) *wire {
	w := &wire{Options: o, gone: make(chan struct{}), served: make(chan struct{}, maxServed)}
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Lost is closed when no more answers can come.
func (w *wire) Lost() <-chan struct{} { return w.gone }

// Reason is why, once Lost is closed.
func (w *wire) Reason() error { return w.why }

// Fail ends the connection for a reason. The first one stands. Requests under
// way fail with transport.ErrTransportClosed.
func (w *wire) Fail(why error) {
	w.once.Do(func() {
		w.why = why
		close(w.gone)
		w.end()
	})
}

// SetNotificationHandler is part of transport.Interface.
func (w *wire) SetNotificationHandler(f func(mcp.JSONRPCNotification)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notify = f
}

// SetRequestHandler is part of transport.BidirectionalInterface.
func (w *wire) SetRequestHandler(f transport.RequestHandler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handle = f
}

// SetProtocolVersion is part of transport.HTTPConnection.
func (w *wire) SetProtocolVersion(version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version = version
}

func (w *wire) protocolVersion() string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.version
}

// modern reports whether the protocol has neither sessions nor resumption.
func (w *wire) modern() bool { return mcp.IsModernProtocol(w.protocolVersion()) }

// Start is part of transport.Interface. There is nothing left to start.
func (w *wire) Start(context.Context) error { return nil }

// within is ctx, ended by the end of the connection too.
func (w *wire) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(w.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// ended puts the end of the connection, and then that of the caller's context,
// in the place of an error that only follows from it.
func (w *wire) ended(ctx context.Context, err error) error {
	switch {
	case w.life.Err() != nil:
		return transport.ErrTransportClosed
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return err
	}
}

// run starts something in the background that ends with the life of the wire,
// and nothing after its end.
func (w *wire) run(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life.Err() != nil {
		return // shut may be waiting already, and would miss it
	}
	w.work.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				w.Log(slog.LevelError, "panic while serving the connection: %v\n%s", r, debug.Stack())
				w.Fail(errPanicked)
			}
		}()
		f()
	})
}

var errPanicked = errors.New("a fault of toolscript ended the connection; the log has its stack")

// shut ends the connection and waits for what runs in the background.
func (w *wire) shut() error {
	w.Fail(transport.ErrTransportClosed)
	w.mu.Lock()   // what run has begun is counted now
	w.mu.Unlock() //nolint:staticcheck // SA2001: nothing is to be done between the two
	done := make(chan struct{})
	go func() { w.work.Wait(); close(done) }()
	defer w.Client.CloseIdleConnections()
	select {
	case <-done:
		return nil
	case <-time.After(closeBound):
		return errors.New("the connection did not end in time")
	}
}
