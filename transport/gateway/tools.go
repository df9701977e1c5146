package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/toolscript/toolscript"
)

// tools answers GET /tools.
func (s *Server) tools(x *exchange) error {
	infos := []ToolInfo{}
	for _, t := range s.backend.Catalog().Filter(x.filter()).Filter(x.allow).Tools() {
		infos = append(infos, infoOf(t))
	}
	return x.answer(http.StatusOK, infos)
}

func infoOf(t toolscript.Tool) ToolInfo {
	input := t.InputSchema
	if len(input) == 0 {
		input = json.RawMessage(`{}`) // a schema that takes anything, as none at all does
	}
	return ToolInfo{
		ServerName:    t.Server,
		ToolName:      t.Name,
		QualifiedName: t.ID(),
		Description:   t.Description,
		InputSchema:   input,
		OutputSchema:  t.OutputSchema,
	}
}

// callTool answers POST /tools/:id with the whole MCP result, byte for byte as
// the Backend gave it. A result that says isError is the tool's answer, and
// status 200.
func (s *Server) callTool(x *exchange) error {
	id, err := x.param("id")
	if err != nil {
		return err
	}
	x.tool = id
	args, err := parseObject(x.c.Request().Body())
	if err != nil {
		return err
	}
	if args == nil {
		args = json.RawMessage(`{}`)
	}
	result, err := s.backend.CallTool(x.ctx, toolscript.Call{ID: id, Args: args, Run: x.caller, RequestID: x.id})
	if err != nil {
		return err
	}
	return x.json(result)
}
