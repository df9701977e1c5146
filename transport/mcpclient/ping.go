package mcpclient

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// Ping asks whether the server answers. Any answer will do, an error too: MCP
// requires a ping to be answered up to its version 2025-11-25 and knows none
// after it, and there are servers that never knew it. The error is of kind
// Timeout, or Unavailable when the server cannot be reached.
func (c *Conn) Ping(ctx context.Context) error {
	_, err := c.request(ctx, toolscript.Error{Server: c.name}, string(mcp.MethodPing), nil, nil)
	if toolscript.KindOf(err) == toolscript.ToolFailed {
		return nil
	}
	return err
}
