package server

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// traced begins the span of a request to call a tool, and returns the traceparent for the
// server. Without a tracer that is the one of the caller.
func (c *call) traced(m *Call) string {
	tracer := c.of.tracer
	if tracer == nil || !c.tool {
		return m.Trace
	}
	c.span = tracer.Start(m.Trace, toolscript.SpanOptions{
		Name: "tools/call " + m.Tool, Client: true,
		Attributes: append([]toolscript.Attribute{
			{Name: "mcp.method.name", Value: "tools/call"}, {Name: "gen_ai.operation.name", Value: "execute_tool"},
			{Name: "gen_ai.tool.name", Value: m.Tool}, {Name: "toolscript.server", Value: c.about.Server},
		}, c.of.network...),
	})
	return c.span.Traceparent()
}

// endSpan ends the span of the request.
func (c *call) endSpan(result json.RawMessage, err error) {
	if c.span == nil {
		return
	}
	failure := string(toolscript.KindOf(err))
	var told struct {
		IsError bool `json:"isError"`
	}
	if err == nil && bytes.Contains(result, []byte(`"isError"`)) && json.Unmarshal(result, &told) == nil && told.IsError {
		failure = "tool_error" // as the conventions call it
	}
	c.span.End(failure)
}

// networkOf is the attribute of the transport to a server.
func networkOf(transport string) []toolscript.Attribute {
	switch transport {
	case "stdio":
		return []toolscript.Attribute{{Name: "network.transport", Value: "pipe"}}
	case "http", "sse":
		return []toolscript.Attribute{{Name: "network.transport", Value: "tcp"}}
	default:
		return nil
	}
}
