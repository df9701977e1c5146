package api

import (
	"github.com/gofiber/fiber/v2"
)

// refuseUnread answers a request that fasthttp could not read, or that enter failed to
// answer.
func (s *Server) refuseUnread(c *fiber.Ctx, err error) error {
	leaveUnread(c.Context())
	if verdict := s.verdict(&c.Request().Header); verdict != nil {
		err = verdict
	}
	x := s.newExchange(c)
	status, err := x.refuse(err)
	x.finish(status, err)
	return nil
}

// refuseMethod answers a request with an unknown method, because fiber would answer before
// any check.
func (s *Server) refuseMethod(c *fiber.Ctx) {
	leaveUnread(c.Context())
	x := s.newExchange(c)
	err := s.verdict(&c.Request().Header)
	if err == nil {
		err = s.guard(c)
	}
	if err == nil {
		err = errMalformed
	}
	x.method = "unknown" // the client chose it, so it must not be in the log
	status, err := x.refuse(err)
	x.finish(status, err)
}
