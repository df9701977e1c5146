package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// versions are the versions of MCP that a server names when it refuses another version. The server
// sends them in the data of the error, which mcp-go drops for the code -32602.
type versions []string

// note stores the versions in the answer to initialize. It ignores other answers.
func (v *versions) note(method string, response *transport.JSONRPCResponse, err error) {
	if method != string(mcp.MethodInitialize) {
		return
	}
	*v = nil
	var reason any
	var refused *httptransport.StatusError
	switch {
	case response != nil && response.Error != nil:
		reason = response.Error.Data
	case errors.As(err, &refused):
		reason = refused.Data
	}
	*v = supportedIn(reason)
}

// supportedIn returns the versions in the data of an error.
func supportedIn(reason any) []string {
	if reason == nil {
		return nil
	}
	var data mcp.UnsupportedProtocolVersionData
	if text, err := json.Marshal(reason); err != nil || json.Unmarshal(text, &data) != nil {
		return nil
	}
	return data.Supported
}

// refusedVersion is the error for a server that refuses a version and supports none that could be tried next.
type refusedVersion struct {
	offered   string
	supported []string
}

func (e *refusedVersion) Error() string {
	named := make([]string, 0, len(e.supported))
	for _, version := range e.supported[:min(len(e.supported), 10)] {
		named = append(named, upstream.Printable(version))
	}
	return fmt.Sprintf("the server refuses MCP version %s, and supports %s; toolscript supports %s",
		e.offered, strings.Join(named, ", "), strings.Join(mcp.ValidProtocolVersions, ", "))
}

// handshakeIn performs MCP's handshake and offers a version. If the server refuses it and names others,
// handshakeIn tries the newest version that both sides support.
func (c *Conn) handshakeIn(ctx context.Context, offered string) (*mcp.InitializeResult, error) {
	result, err := c.hello(ctx, offered)
	if err == nil || len(c.refused) == 0 {
		return result, err
	}
	next := mcp.NegotiateMutuallySupportedVersion(c.refused)
	switch {
	case next == "" || next == offered:
		return nil, &refusedVersion{offered, c.refused}
	case mcp.IsModernProtocol(next):
		found := c.discover(ctx, next)
		if found.err != nil {
			return nil, &refusedVersion{offered, c.refused}
		}
		c.speak(found.result.ProtocolVersion)
		return found.result, nil
	}
	return c.hello(ctx, next)
}

func (c *Conn) hello(ctx context.Context, version string) (*mcp.InitializeResult, error) {
	result, err := c.protocol.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: version, ClientInfo: self,
	}})
	if err != nil {
		return nil, err
	}
	c.dialect.agree(result.ProtocolVersion)
	return result, nil
}
