package mcpclient

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// self identifies this client in the handshake.
var self = mcp.Implementation{Name: "toolscript", Version: toolscript.Version}

// dialect is the negotiated version of MCP, and what it means for requests of this package that do
// not go through mcp-go's client.
type dialect struct {
	newest       string // the newest version to offer
	forced       bool   // newest comes from the configuration
	capabilities mcp.ClientCapabilities

	modernCapabilities mcp.ClientCapabilities // capabilities, and the extensions of MCP 2026-07-28

	mu      sync.RWMutex
	version string              // the negotiated version
	logs    string              // level from which requests ask for log messages, as in MCP 2026-07-28; "": they do not ask
	tools   map[string]mcp.Tool // tools with parameters that MCP 2026-07-28 repeats in HTTP headers
}

// prepare sets what the handshake offers to the server.
func (d *dialect) prepare(newest string, on upstream.Events) {
	d.newest, d.forced = cmp.Or(newest, upstream.Stateless), newest != ""
	if on.Elicit != nil {
		d.capabilities.Elicitation = &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
	}
	d.capabilities.Extensions = map[string]any{appsExtension: apps}
	d.modernCapabilities = d.capabilities
	d.modernCapabilities.Extensions = map[string]any{appsExtension: apps, tasksExtension: map[string]any{}}
}

// older limits the offered versions to those with a handshake.
func (d *dialect) older() { d.newest = min(d.newest, upstream.Handshake) }

// options returns the options of mcp-go's client.
func (d *dialect) options() []client.ClientOption {
	return []client.ClientOption{
		client.WithProtocolVersion(upstream.Handshake),
		client.WithClientCapabilities(d.capabilities),
	}
}

func (d *dialect) agree(version string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version = version
}

// handshakes reports whether the connection has begun with a handshake.
func (d *dialect) handshakes() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.version != "" && !mcp.IsModernProtocol(d.version)
}

// modern reports whether the negotiated version has no handshake, as MCP 2026-07-28.
func (d *dialect) modern() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return mcp.IsModernProtocol(d.version)
}

// request builds a request in the negotiated version. If params is nil, the message has no member
// "params": JSON-RPC does not allow null there, and the TypeScript SDK drops a message with it.
func (d *dialect) request(c *sentCall, method string, params map[string]any) (transport.JSONRPCRequest, error) {
	d.mu.RLock()
	version := d.version
	c.logs = d.logs
	d.mu.RUnlock()
	return d.requestIn(version, c, method, params)
}

// askLogs makes later requests ask for the log messages of the server from a level on.
func (d *dialect) askLogs(level string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.logs = level
}

// requestIn builds a request in a version.
func (d *dialect) requestIn(version string, c *sentCall, method string, params map[string]any) (transport.JSONRPCRequest, error) {
	meta := map[string]any{}
	if c.progress != nil {
		meta["progressToken"] = c.id
	}
	if c.trace != "" {
		meta["traceparent"] = c.trace
	}
	modern := mcp.IsModernProtocol(version)
	if modern {
		meta[mcp.MetaKeyProtocolVersion] = version
		meta[mcp.MetaKeyClientInfo] = self
		meta[mcp.MetaKeyClientCapabilities] = d.modernCapabilities
		if c.logs != "" {
			meta[mcp.MetaKeyLogLevel] = c.logs
		}
	}
	if len(meta) > 0 {
		full := map[string]any{"_meta": meta}
		maps.Copy(full, params)
		params = full
	}
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(c.id), Method: method}
	if params != nil {
		request.Params = params // a nil map in the interface would be encoded as null
	}
	if !modern {
		return request, nil
	}
	text, err := json.Marshal(params)
	request.Header = d.headers(version, method, text)
	return request, err
}

// headers returns HTTP headers that repeat parts of a request, for proxies that do not read bodies.
func (d *dialect) headers(version, method string, params json.RawMessage) http.Header {
	header := make(http.Header)
	for name, value := range mcp.StandardHeaders(version, mcp.MCPMethod(method), params) {
		header.Set(name, value)
	}
	if id := taskIn(method, params); id != "" {
		header.Set(mcp.HeaderName, id)
	}
	var called struct{ Name string }
	if method != string(mcp.MethodToolsCall) || json.Unmarshal(params, &called) != nil {
		return header
	}
	d.mu.RLock()
	tool, ok := d.tools[called.Name]
	d.mu.RUnlock()
	if ok {
		for name, value := range mcp.GenerateParamHeaders(&tool, params) {
			header.Set(name, value)
		}
	}
	return header
}

// setTools keeps the tools whose schemas ask for parameters in HTTP headers.
func (d *dialect) setTools(tools []toolscript.Tool) {
	known := make(map[string]mcp.Tool)
	for _, t := range tools {
		tool := mcp.Tool{Name: t.Name, RawInputSchema: t.InputSchema}
		if len(mcp.ExtractParamHeaderBindings(&tool)) > 0 {
			known[t.Name] = tool
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tools = known
}
