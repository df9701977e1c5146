package api

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// prepare checks a request, begins its exchange and reads its body.
func (x *exchange) prepare(r route) error {
	if x.caller != "" && !r.runs {
		return errRunOnly
	}
	if r.method == fiber.MethodPost {
		if err := requireMedia(x.c, r.bytes); err != nil {
			return err
		}
	}
	if err := x.readQuery(r); err != nil {
		return err
	}
	if err := x.begin(r.within); err != nil {
		return err
	}
	if r.method == fiber.MethodPost {
		return x.readBody()
	}
	return nil
}

// unsent marks the error of a request for a call as not sent, unless it says whether the
// call was sent. Only errors of the Backend say that; the others arise before.
func unsent(err error) error {
	if known := (*toolscript.Error)(nil); errors.As(err, &known) {
		return toolscript.WithSent(err, toolscript.SentNo)
	}
	return err
}

// errRunOnly is the error for a script that uses a route other than those for tools.
var errRunOnly = &toolscript.Error{
	Kind: toolscript.Forbidden,
	Err:  errors.New("the capability of a run allows only to list and call tools"),
}

// exchangeKey is the key of the exchange in fiber's locals.
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
