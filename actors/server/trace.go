package server

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// traced begins the span of a request, and returns the traceparent for the server: without a
// tracer, the traceparent of the caller.
func (c *pendingCall) traced(m *Call) string {
	tracer := c.of.tracer
	if tracer == nil {
		return m.Trace
	}
	o := toolscript.SpanOptions{Client: true}
	if m.Fetch == nil {
		o.Name = "tools/call " + m.own()
		o.Attributes = []toolscript.Attribute{
			{Name: "mcp.method.name", Value: "tools/call"}, {Name: "gen_ai.operation.name", Value: "execute_tool"}, {Name: "gen_ai.tool.name", Value: m.own()},
		}
	} else {
		// The URI of a resource is left out: it may have a secret.
		o.Name = strings.TrimSpace(m.Fetch.Method() + " " + m.Fetch.Prompt)
		o.Attributes = []toolscript.Attribute{{Name: "mcp.method.name", Value: m.Fetch.Method()}, {Name: "gen_ai.prompt.name", Value: m.Fetch.Prompt}}
	}
	o.Attributes = append(append(o.Attributes, toolscript.Attribute{Name: "toolscript.server", Value: c.about.Server}), c.of.network...)
	c.span = tracer.Start(m.Trace, o)
	return c.span.Traceparent()
}

// endSpan ends the span of the request.
func (c *pendingCall) endSpan(result json.RawMessage, err error) {
	if c.span == nil {
		return
	}
	failure := string(toolscript.KindOf(err))
	var told struct {
		IsError bool `json:"isError"`
	}
	if err == nil && bytes.Contains(result, []byte(`"isError"`)) && json.Unmarshal(result, &told) == nil && told.IsError {
		failure = "tool_error" // name in the OpenTelemetry conventions
	}
	c.span.End(failure)
}

// networkOf returns the attribute for the transport to a server.
func networkOf(transport string) []toolscript.Attribute {
	switch kind := upstream.KindOf(transport); {
	case kind.Process:
		return []toolscript.Attribute{{Name: "network.transport", Value: "pipe"}}
	case kind.MCP:
		return []toolscript.Attribute{{Name: "network.transport", Value: "tcp"}}
	default:
		return nil
	}
}
