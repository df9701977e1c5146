package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/toolscript/toolscript"
)

// servers answers GET /servers.
func (s *Server) servers(x *exchange) error {
	wait, err := x.wait()
	if err != nil {
		return err
	}
	servers, err := x.direct().Servers(x.ctx, x.filter(), wait)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, servers)
}

// restartServer answers POST /servers/:name/restart.
func (s *Server) restartServer(x *exchange) error {
	name, err := x.param("name")
	if err != nil {
		return err
	}
	status, err := s.backend.RestartServer(x.ctx, name)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, status)
}

// tools answers GET /tools.
func (s *Server) tools(x *exchange) error {
	wait, err := x.wait()
	if err != nil {
		return err
	}
	if x.query.Get("apps") == "true" {
		return x.answer(http.StatusOK, x.direct().AppTools())
	}
	tools, err := x.direct().Tools(x.ctx, x.filter(), wait)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, tools)
}

func infoOf(t toolscript.Tool) ToolInfo {
	input := t.InputSchema
	if len(input) == 0 {
		input = json.RawMessage(`{}`) // a tool without a schema accepts anything
	}
	return ToolInfo{
		ServerName:    t.Server,
		ToolName:      t.Name,
		QualifiedName: t.ID(),
		Title:         t.Title,
		Description:   t.Description,
		InputSchema:   input,
		OutputSchema:  t.OutputSchema,
		Annotations:   t.Annotations,
		Original:      t.Original,
		UI:            t.UI,
	}
}

// callTool answers POST /tools/:id with the MCP result, byte for byte as the Backend
// returned it. A result with isError has status 200.
func (s *Server) callTool(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	x.tool = id
	args, err := parseObject(x.body)
	if err != nil {
		return err
	}
	key, err := x.idempotencyKey()
	if err != nil {
		return err
	}
	wait, trace := x.preferredWait(), x.trace()
	return x.relay(func(ctx context.Context) (json.RawMessage, error) {
		return x.direct().CallTool(ctx, toolscript.Call{
			ID: id, Args: args, Wait: wait, Run: x.caller, RequestID: x.id, Client: x.client(), Trace: trace, Key: key, FromApp: x.caller == "" && x.query.Get("apps") == "true",
		})
	})
}

// idempotencyKey returns the value of the header Idempotency-Key, or "" if there is no such header.
func (x *exchange) idempotencyKey() (string, error) {
	switch all := x.c.Request().Header.PeekAll("Idempotency-Key"); len(all) {
	case 0:
		return "", nil
	case 1:
		key := string(all[0])
		return key, toolscript.CheckKey(key)
	default:
		return "", invalid("the request has %d headers Idempotency-Key", len(all))
	}
}
