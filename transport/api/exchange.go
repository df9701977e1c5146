package api

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// exchange is one request and its answer.
type exchange struct {
	server *Server
	c      *fiber.Ctx // invalid after the handler has returned: streams must not use it
	id     string
	start  time.Time
	method string
	query  url.Values // parameters that the route accepts

	body     []byte // body of a POST; owned by the exchange
	bodyRead bool   // the body was read completely
	turn     int64  // bytes taken from Server.bodies

	route      string // pattern of the route; "" before it is known
	tool       string // tool id, if the request is about a tool
	run        string // id of the run that the request is about or comes from
	caller     string // id of the run whose capability was used
	capability string // capability of the caller

	allow   toolscript.Filter // the tools that the caller may see; nil: all
	profile string            // the profile that has narrowed allow, unless a run is the caller

	ctx    context.Context // ends with the client, the gateway or the time of the route
	cancel context.CancelCauseFunc
	gone   chan struct{} // closed when the client has closed the connection
	conn   *conn         // set by begin

	fault error // the error behind an answer that is a page, for the log

	streaming bool // the stream finishes the exchange, not the handler
}

// enter handles each request that fasthttp could read. If enter panics, for example on an
// error that is a nil pointer, fiber calls refuseUnread.
func (s *Server) enter(c *fiber.Ctx) (fault error) {
	defer rescue.Into(&fault)
	x := s.newExchange(c)
	err := s.pass(x)
	x.settleBody()
	status := c.Response().StatusCode()
	if !x.streaming {
		defer func() { x.finish(status, err) }()
	}
	if err != nil {
		status, err = x.refuse(err)
	}
	return nil
}

// pass runs the checks and the route. A panic becomes an error.
func (s *Server) pass(x *exchange) (err error) {
	defer rescue.Into(&err)
	if err := s.verdict(&x.c.Request().Header); err != nil {
		leaveUnread(x.c.Context())
		return err
	}
	if err := s.guard(x.c); err != nil {
		return err
	}
	if err := s.admit(x); err != nil {
		return err
	}
	return x.c.Next()
}

// handler returns the fiber handler of a route, which prepares the exchange and calls r.serve.
func (s *Server) handler(r route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		x := c.Locals(exchangeKey{}).(*exchange)
		x.route = r.path
		err := x.prepare(r)
		if err == nil {
			err = r.serve(x)
		}
		if r.calls {
			return unsent(err)
		}
		return err
	}
}

// begin gives the exchange its context. It fails while the gateway is shutting down;
// otherwise the caller must call finish later.
func (x *exchange) begin(within time.Duration) error {
	if !x.server.requests.begin() {
		return errShuttingDown
	}
	x.conn, _ = x.c.Context().Conn().(*conn)
	x.occupy(true)
	ctx, cancel := context.WithCancelCause(x.server.ctx)
	late := &toolscript.Error{Kind: toolscript.Timeout, Err: fmt.Errorf("no answer within %s", within)}
	ctx, stop := context.WithTimeoutCause(ctx, within, late)
	x.ctx = ctx
	x.cancel = func(cause error) { cancel(cause); stop() }
	go x.watch(ctx, x.c.Context().Conn())
	return nil
}

// finish ends the exchange and logs it.
func (x *exchange) finish(status int, err error) {
	if x.cancel != nil {
		x.cancel(nil)
		x.server.bodies.Release(x.turn)
		x.occupy(false)
		defer x.server.requests.end()
	}
	x.log(status, cmp.Or(err, x.fault))
}

// occupy records whether the connection has an answer in progress.
func (x *exchange) occupy(busy bool) {
	if x.conn != nil {
		x.conn.occupied(busy)
	}
}
