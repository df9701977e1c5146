package mcpclient

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// self identifies this client in the handshake.
var self = mcp.Implementation{Name: "toolscript", Version: toolscript.Version}

// dialect is the negotiated version of MCP and its consequences for our own requests,
// which do not go through mcp-go's client.
type dialect struct {
	newest       string // the newest version to offer
	capabilities mcp.ClientCapabilities

	mu      sync.RWMutex
	version string              // the negotiated version
	tools   map[string]mcp.Tool // tools with parameters that MCP 2026-07-28 repeats in HTTP headers
}

// discoverTime limits the check whether a server supports MCP without a handshake. A
// server that ignores unknown requests delays the connection by this time.
const discoverTime = time.Second

// prepare sets what the handshake offers to the server.
func (d *dialect) prepare(newest string, on Events) {
	d.newest = cmp.Or(newest, Handshake)
	if on.Elicit != nil {
		d.capabilities.Elicitation = &mcp.ElicitationCapability{}
	}
}

func (d *dialect) preferred() string { return d.newest }

// options returns the options of mcp-go's client.
func (d *dialect) options() []client.ClientOption {
	return []client.ClientOption{
		client.WithProtocolVersion(d.newest),
		client.WithDiscoverTimeout(discoverTime),
		client.WithClientCapabilities(d.capabilities),
	}
}

func (d *dialect) agree(version string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.version = version
}

// modern reports whether the server uses the protocol without a handshake.
func (d *dialect) modern() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return mcp.IsModernProtocol(d.version)
}

// request builds a request in the negotiated version. Without params the message has
// no such member: JSON-RPC allows only an object or an array there, and the
// TypeScript SDK drops a message with "params": null.
func (d *dialect) request(c *sentCall, method string, params map[string]any) (transport.JSONRPCRequest, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	meta := map[string]any{}
	if c.progress != nil {
		meta["progressToken"] = c.id
	}
	if c.trace != "" {
		meta["traceparent"] = c.trace
	}
	modern := mcp.IsModernProtocol(d.version)
	if modern {
		meta[mcp.MetaKeyProtocolVersion] = d.version
		meta[mcp.MetaKeyClientInfo] = self
		meta[mcp.MetaKeyClientCapabilities] = d.capabilities
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
	request.Header = d.headers(method, text)
	return request, err
}

// headers repeats parts of a request for proxies that do not read bodies.
func (d *dialect) headers(method string, params json.RawMessage) http.Header {
	header := make(http.Header)
	for name, value := range mcp.StandardHeaders(d.version, mcp.MCPMethod(method), params) {
		header.Set(name, value)
	}
	var called struct{ Name string }
	if method != string(mcp.MethodToolsCall) || json.Unmarshal(params, &called) != nil {
		return header
	}
	if tool, ok := d.tools[called.Name]; ok {
		for name, value := range mcp.GenerateParamHeaders(&tool, params) {
			header.Set(name, value)
		}
	}
	return header
}

// setTools keeps the schemas that request parameters in HTTP headers.
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
