package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
)

// CallTool calls a tool by the server's own name for it. args is a JSON object;
// empty means {}. The result is what the server sent, untouched: content,
// structuredContent, isError, _meta and whatever else. progress, if not nil, is
// called at each sign of progress the server gives, under the rules of Events.
//
// The call lasts as long as ctx: no other time limit applies. When ctx ends the
// server is told so. The error is a *toolscript.Error: ToolFailed for a JSON-RPC
// error, TooLarge, Unavailable when the connection broke, Timeout, Cancelled,
// Busy when the server has stopped reading or asks for a pause, Unauthorized and
// Forbidden as a server over HTTP says, and Invalid for args that are no object.
func (c *Conn) CallTool(ctx context.Context, tool string, args json.RawMessage, progress func()) (json.RawMessage, error) {
	about := toolscript.Error{Server: c.name, Tool: tool}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if !json.Valid(args) || !isObject(args) {
		return nil, because(about, toolscript.Invalid, errors.New("the arguments of a tool are one JSON object"))
	}
	params := map[string]any{"name": tool, "arguments": args}
	result, err := c.rounds(ctx, about, "tools/call", params, progress)
	if err != nil {
		return nil, err
	}
	if !isObject(result) {
		return nil, because(about, toolscript.ToolFailed, fmt.Errorf("the server answered with %s, which is no tool result", sample(result)))
	}
	return result, nil
}

// isObject tells an object from other JSON values by its first byte.
func isObject(value json.RawMessage) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	return len(value) > 0 && value[0] == '{'
}

// sample is the beginning of a value for an error message.
func sample(value json.RawMessage) string {
	if len(value) == 0 {
		return "neither result nor error"
	}
	return printable(string(value[:min(len(value), 100)]))
}
