package api

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// list answers GET /resources, /resources/templates, /prompts and /skills with one page.
func (s *Server) list(id string) func(*exchange) error {
	return func(x *exchange) error {
		return x.fetch(toolscript.FetchRequest{ID: id, Server: x.query.Get("server"), Cursor: x.query.Get("cursor")})
	}
}

// read answers GET /resources/read, /skills/get and /skills/read with the result of MCP.
func (s *Server) read(id string) func(*exchange) error {
	return func(x *exchange) error {
		o := toolscript.FetchRequest{ID: id, Server: x.query.Get("server"), URI: x.query.Get("uri")}
		if o.Server == "" || o.URI == "" {
			return invalid("the parameters server and uri are required")
		}
		return x.fetch(o)
	}
}

// getPrompt answers POST /prompts/:server/:name with the result of MCP. The body holds the
// arguments.
func (s *Server) getPrompt(x *exchange) (err error) {
	o := toolscript.FetchRequest{ID: toolscript.GetPrompt}
	if o.Server, err = x.param("server"); err != nil {
		return err
	}
	if o.Prompt, err = x.param("name"); err != nil {
		return err
	}
	args, err := parseObject(x.body)
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

// Completion is the body of POST /completions/:server: the argument of a prompt, or the variable of
// a resource template, whose values are wanted.
type Completion struct {
	Prompt   string            `json:"prompt,omitempty"`
	Template string            `json:"template,omitempty"`
	Argument string            `json:"argument"`
	Value    string            `json:"value,omitempty"` // the beginning of the wanted values
	Args     map[string]string `json:"args,omitempty"`  // values of other arguments
}

// complete answers POST /completions/:server with the result of MCP.
func (s *Server) complete(x *exchange) (err error) {
	o := toolscript.FetchRequest{ID: toolscript.Complete}
	if o.Server, err = x.param("server"); err != nil {
		return err
	}
	var c Completion
	if err := decode(x.body, &c); err != nil {
		return err
	}
	o.Prompt, o.URI, o.Argument, o.Value, o.Args = c.Prompt, c.Template, c.Argument, c.Value, c.Args
	return x.fetch(o)
}

func (x *exchange) fetch(o toolscript.FetchRequest) error {
	o.Allow, o.Selected = x.allow, x.query.Get("selected") == "true"
	o.RequestID, o.Wait, o.Trace = x.id, x.preferredWait(), x.trace()
	return x.relay(func(ctx context.Context) (json.RawMessage, error) { return x.server.backend.Fetch(ctx, o) })
}
