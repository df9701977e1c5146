package api

import (
	"errors"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/toolscript/toolscript"
)

// route is one route of the API.
type route struct {
	method string
	path   string
	within time.Duration
	query  []string // accepted parameters; nil if the query is ignored
	runs   bool     // the capability of a run is enough
	calls  bool     // the route makes a call: its errors say whether the server got the call
	bytes  bool     // the body may be bytes instead of JSON
	serve  func(*exchange) error
}

// newApp returns the fiber app. There is no WriteTimeout: it would count from the start of
// an answer and end streams. Requests are streamed: otherwise fasthttp would allocate the
// whole body when the header announces it. Streaming switches BodyLimit off, so readBody
// has the limit. Immutable is necessary, because parameters are used after the handler has
// returned.
func (s *Server) newApp() *fiber.App {
	app := fiber.New(fiber.Config{
		AppName:               "toolscript",
		CaseSensitive:         true,
		DisableStartupMessage: true,
		ErrorHandler:          s.refuseUnread,
		IdleTimeout:           idleTimeout,
		Immutable:             true,
		ReadBufferSize:        headerLimit,
		ReadTimeout:           min(s.readTimeout, headerTime),
		StreamRequestBody:     true,

		DisablePreParseMultipartForm: true, // otherwise it is parsed before the checks
	})
	app.Use(s.enter)
	for _, r := range s.routes() {
		if r.method == fiber.MethodGet {
			app.Get(r.path, s.handler(r)) // for HEAD too
			continue
		}
		app.Add(r.method, r.path, s.handler(r))
	}
	app.Server().HeaderReceived = s.received
	app.Server().ConnState = s.listener.state
	routed := app.Handler()
	app.Server().Handler = func(ctx *fasthttp.RequestCtx) {
		if slices.Contains(fiber.DefaultMethods, string(ctx.Method())) {
			routed(ctx)
			return
		}
		c := app.AcquireCtx(ctx)
		defer app.ReleaseCtx(c)
		s.refuseMethod(c)
	}
	return app
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

// errRunOnly is the error for a script that uses a route other than those for tools.
var errRunOnly = &toolscript.Error{
	Kind: toolscript.Forbidden,
	Err:  errors.New("the capability of a run allows only to list and call tools"),
}
