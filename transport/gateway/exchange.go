package gateway

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// exchange is one request and its answer.
type exchange struct {
	server *Server
	c      *fiber.Ctx // dead once the handler has returned: a stream may not use it
	id     string
	start  time.Time
	method string
	query  url.Values // of the parameters that the route takes

	route      string // its pattern, "" while none matched
	tool       string // tool id, when the request is about one
	run        string // id of the run, when the request is about one or comes from one
	caller     string // id of the run whose capability was used
	capability string // of that run

	allow toolscript.Filter // the tools that the caller may know of; nil: all

	ctx    context.Context // ends with the client, the gateway or the route's time
	cancel context.CancelCauseFunc
	gone   chan struct{} // closed when the client has left

	streaming bool // the stream finishes the exchange, not the handler
}

// exchangeKey finds the exchange of a request in fiber's locals.
type exchangeKey struct{}

func (s *Server) newExchange(c *fiber.Ctx) *exchange {
	x := &exchange{
		server: s,
		c:      c,
		id:     s.ids.next(),
		start:  time.Now(),
		method: c.Method(),
		gone:   make(chan struct{}),
	}
	c.Set(fiber.HeaderXRequestID, x.id)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Locals(exchangeKey{}, x)
	return x
}

// enter is the first and last to see a request that fasthttp could read. What
// panics here, such as an error that is a nil pointer, is left to fiber's error
// handler, refuseUnread.
func (s *Server) enter(c *fiber.Ctx) (fault error) {
	defer recovered(&fault)
	x := s.newExchange(c)
	err := s.pass(x)
	status := c.Response().StatusCode()
	if !x.streaming {
		defer func() { x.finish(status, err) }()
	}
	if err != nil {
		status, err = x.refuse(err)
	}
	return nil
}

// pass takes the exchange through the checks to its route. A panic on the way
// is an error like others.
func (s *Server) pass(x *exchange) (err error) {
	defer recovered(&err)
	if err := s.guard(x.c); err != nil {
		return err
	}
	if err := s.admit(x); err != nil {
		return err
	}
	return x.c.Next()
}

// begin gives the exchange its context. It fails when the gateway is shutting
// down; otherwise finish must follow.
func (x *exchange) begin(within time.Duration) error {
	if !x.server.flight.begin() {
		return errShuttingDown
	}
	ctx, cancel := context.WithCancelCause(x.server.ctx)
	late := &toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf("no answer within %s", within)}
	ctx, stop := context.WithTimeoutCause(ctx, within, late)
	x.ctx = ctx
	x.cancel = func(cause error) { cancel(cause); stop() }
	go x.watch(ctx, x.c.Context().Conn())
	return nil
}

// watch ends the exchange when its client leaves, or when nobody can tell any
// more whether it does.
func (x *exchange) watch(ctx context.Context, c net.Conn) {
	var fault error
	defer func() {
		if fault != nil {
			x.cancel(fault)
		}
	}()
	defer recovered(&fault)
	watch(ctx, c, x.leave)
}

// leave ends what is done for a client that is no longer there. It is called at
// most once.
func (x *exchange) leave() {
	close(x.gone)
	x.cancel(errClientGone)
}

// finish ends the exchange and logs it.
func (x *exchange) finish(status int, err error) {
	if x.cancel != nil {
		x.cancel(nil)
		defer x.server.flight.end()
	}
	x.log(status, err)
}

// param is a part of the path as the client meant it. The route matched the
// escaped path, so that a tool's name may hold a slash.
func (x *exchange) param(name string) (string, error) {
	value, err := url.PathUnescape(x.c.Params(name))
	if err != nil {
		return "", invalid("the path is not escaped properly")
	}
	return value, nil
}

// requestIDs numbers requests. The prefix keeps those of two gateways apart.
type requestIDs struct {
	prefix string
	last   *atomic.Uint64
}

func newRequestIDs() requestIDs {
	return requestIDs{prefix: strings.ToLower(rand.Text()[:6]), last: new(atomic.Uint64)}
}

func (r requestIDs) next() string { return fmt.Sprintf("%s-%d", r.prefix, r.last.Add(1)) }

// refuseUnread answers a request that fasthttp could not read to its end, or
// that enter could not answer.
func (s *Server) refuseUnread(c *fiber.Ctx, err error) error {
	if c, ok := c.Context().Conn().(*conn); ok {
		c.unread.Store(true)
	}
	x := s.newExchange(c)
	status, err := x.refuse(err)
	x.finish(status, err)
	return nil
}

// refuseMethod answers a request whose method HTTP does not know. fiber would
// answer it itself, before any check.
func (s *Server) refuseMethod(c *fiber.Ctx) {
	x := s.newExchange(c)
	err := s.guard(c)
	if err == nil {
		err = errMalformed
	}
	x.method = "unknown" // whatever it is, it does not belong into the log
	status, err := x.refuse(err)
	x.finish(status, err)
}
