// Package httptransport carries MCP messages over streamable HTTP and over HTTP+SSE,
// the transport of MCP 2024-11-05. Both are transports for mcp-go's client, which
// implements the protocol. The package also finds the ids of requests in the answers of servers,
// even in answers that are not valid messages.
//
// mcp-go v1.2.1 has HTTP transports, but they have these limitations: they do not resume
// interrupted streams; calls on a dead SSE stream wait until their time limit; they drop
// requests of SSE servers, including pings; they do not limit the size of messages; and they
// treat every 4xx status except 401 as a sign of a server with the old transport.
package httptransport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
)

// MaxServed is the maximum number of requests of a server that are answered at the same time. Further
// requests are refused with TooManyRequests.
const (
	MaxServed       = 32
	TooManyRequests = "too many requests of the server are in progress"
)

const (
	deleteTime  = 2 * time.Second  // for the request that ends the session
	closeBound  = 2 * time.Second  // for background goroutines to end
	postBound   = 10 * time.Second // for a POST whose caller no longer waits
	maxErrorDoc = 4 << 10          // bytes read of the body of a refusal
)

// Options describe how to reach a server. All fields except Headers and Answers are
// required.
type Options struct {
	URL     *url.URL
	Headers map[string]string // sent with every request; headers of the protocol override them
	Client  *http.Client      // from NewClient
	Limit   int               // maximum bytes of one message of the server
	Log     func(level slog.Level, format string, args ...any)

	// Nameless receives errors that have no id of a request, except errors that arrive on the stream of
	// one request. If it is nil, they are ignored.
	Nameless func(*mcp.JSONRPCErrorDetails)

	// Deviates receives the deviations of the server from MCP: constants of this package. If it is nil,
	// they are ignored.
	Deviates func(how string)

	Answers *budget.Budget // memory limit for messages; nil means unlimited
}

// wire is the common part of both transports: the lifetime of the connection, the
// reason for its end, and the handlers of unsolicited messages.
type wire struct {
	Options
	life context.Context //nolint:containedctx // ends with the connection
	end  context.CancelFunc
	work sync.WaitGroup

	gone chan struct{}
	once sync.Once
	why  error // valid after gone is closed

	served  chan struct{} // holds one entry for each request of the server that is being answered
	refused chan struct{} // holds one entry for each request that is being refused

	mu      sync.RWMutex
	version string
	notify  func(mcp.JSONRPCNotification)
	handle  transport.RequestHandler
}

func newWire(o Options) *wire {
	w := &wire{Options: o, gone: make(chan struct{}), served: make(chan struct{}, MaxServed), refused: make(chan struct{}, MaxServed)}
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Lost returns a channel that is closed when no more answers can arrive.
func (w *wire) Lost() <-chan struct{} { return w.gone }

// Reason returns why the connection ended. It is valid after Lost is closed.
func (w *wire) Reason() error { return w.why }

// Fail ends the connection with a reason. Only the first reason is kept. Requests in
// flight fail with transport.ErrTransportClosed.
func (w *wire) Fail(why error) {
	w.once.Do(func() {
		w.why = why
		close(w.gone)
		w.end()
	})
}

// SetNotificationHandler implements transport.Interface.
func (w *wire) SetNotificationHandler(f func(mcp.JSONRPCNotification)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notify = f
}

// SetRequestHandler implements transport.BidirectionalInterface.
func (w *wire) SetRequestHandler(f transport.RequestHandler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handle = f
}

// SetProtocolVersion implements transport.HTTPConnection.
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

// modern reports whether the protocol version has neither sessions nor resumption.
func (w *wire) modern() bool { return mcp.IsModernProtocol(w.protocolVersion()) }

// Start implements transport.Interface. It has nothing to do.
func (w *wire) Start(context.Context) error { return nil }

// within returns a context that ends with ctx or with the connection.
func (w *wire) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(w.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// post runs send in the background. send is the POST of a message whose response has no body. The
// channel receives its error. The end of ctx does not cancel the POST; it only limits the POST to
// postBound: net/http offers a connection to the next request before it considers the earlier
// request finished, so cancelling the POST could break the next request.
func (w *wire) post(ctx context.Context, send func(context.Context) error) <-chan error {
	posting, cancel := w.within(context.WithoutCancel(ctx))
	left := context.AfterFunc(ctx, func() {
		bound := time.AfterFunc(postBound, cancel)
		context.AfterFunc(posting, func() { bound.Stop() })
	})
	posted := make(chan error, 1)
	w.run(func() {
		defer cancel()
		defer left()
		posted <- send(posting)
	})
	return posted
}

// tell runs post, and waits for the end of the POST, of ctx, or of the connection.
func (w *wire) tell(ctx context.Context, send func(context.Context) error) error {
	select {
	case err := <-w.post(ctx, send):
		if err != nil {
			return w.ended(ctx, err)
		}
		return nil
	case <-ctx.Done():
		return w.ended(ctx, ctx.Err())
	case <-w.life.Done():
		return transport.ErrTransportClosed
	}
}

// ended returns the error for the end of the connection, or the error of ctx, if err is only a
// consequence of these. Otherwise it returns err.
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

// run starts f in the background. f must end with the connection. After the end of
// the connection, run does nothing.
func (w *wire) run(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life.Err() != nil {
		return // shut may already be waiting and would not wait for f
	}
	w.work.Go(func() {
		defer rescue.Catch(func(p *rescue.Error) {
			w.Log(slog.LevelError, "panic while serving the connection: %v\n%s", p.Reason, p.Stack)
			w.Fail(errPanicked)
		})
		f()
	})
}

var errPanicked = errors.New("a fault of toolscript ended the connection; the log has its stack")

// shut ends the connection and waits for the background goroutines.
func (w *wire) shut() error {
	w.Fail(transport.ErrTransportClosed)
	w.mu.Lock()   // every f that run has started is now counted
	w.mu.Unlock() //nolint:staticcheck // SA2001: the lock only waits for run
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
