package gateway

import (
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"github.com/toolscript/toolscript"
)

// list answers GET /resources, /resources/templates and /prompts with one page.
func (s *Server) list(id string) func(*exchange) error {
	return func(x *exchange) error {
		return x.fetch(toolscript.Offered{ID: id, Server: x.query.Get("server"), Cursor: x.query.Get("cursor")})
	}
}

// readResource answers GET /resources/read with the result of MCP.
func (s *Server) readResource(x *exchange) error {
	o := toolscript.Offered{ID: toolscript.ReadResource, Server: x.query.Get("server"), URI: x.query.Get("uri")}
	if o.Server == "" || o.URI == "" {
		return invalid("a resource is read by the parameters server and uri, and one of them is missing")
	}
	return x.fetch(o)
}

// getPrompt answers POST /prompts/:server/:name, whose body is the arguments,
// with the result of MCP.
func (s *Server) getPrompt(x *exchange) (err error) {
	o := toolscript.Offered{ID: toolscript.GetPrompt}
	if o.Server, err = x.param("server"); err != nil {
		return err
	}
	if o.Prompt, err = x.param("name"); err != nil {
		return err
	}
	args, err := parseObject(x.c.Request().Body())
	if err != nil {
		return err
	}
	if args != nil {
		if err := decode(args, &o.Args); err != nil {
			return err
		}
	}
	return x.fetch(o)
}

func (x *exchange) fetch(o toolscript.Offered) error {
	o.RequestID = x.id
	answer, err := x.server.backend.Fetch(x.ctx, o)
	if err != nil {
		return err
	}
	return x.json(answer)
}

// json sends a JSON value as it is.
func (x *exchange) json(value json.RawMessage) error {
	x.c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return x.c.Send(value)
}
