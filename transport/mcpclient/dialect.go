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

// self is what we say of ourselves.
var self = mcp.Implementation{Name: "toolscript", Version: toolscript.Version}

// dialect is the version of MCP that was agreed on, and what follows from it for
// our own requests, which do not go through mcp-go's client.
type dialect struct {
	newest       string // to offer
	capabilities mcp.ClientCapabilities

	mu      sync.RWMutex
	version string              // agreed on
	tools   map[string]mcp.Tool // with parameters that MCP 2026-07-28 repeats in HTTP headers
}

// discoverTime bounds the question whether a server speaks MCP without a
// handshake: one that ignores what it does not know would hold up the connecting.
const discoverTime = time.Second

// prepare sets what is offered to the server, before the handshake.
func (d *dialect) prepare(newest string, on Events) {
	d.newest = cmp.Or(newest, Handshake)
	if on.Elicit != nil {
		d.capabilities.Elicitation = &mcp.ElicitationCapability{}
	}
	if on.Sample != nil {
		d.capabilities.Sampling = &mcp.SamplingCapability{}
	}
}

// preferred is the version to ask for.
func (d *dialect) preferred() string { return d.newest }

// options are mcp-go's for its client.
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

// modern reports whether the server speaks the protocol without a handshake.
func (d *dialect) modern() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return mcp.IsModernProtocol(d.version)
}

// request is a request in the dialect.
func (d *dialect) request(c *call, method string, params map[string]any) (transport.JSONRPCRequest, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	meta := map[string]any{}
	if c.progress != nil {
		meta["progressToken"] = c.id
	}
	modern := mcp.IsModernProtocol(d.version)
	if modern {
		meta[mcp.MetaKeyProtocolVersion] = d.version
		meta[mcp.MetaKeyClientInfo] = self
		meta[mcp.MetaKeyClientCapabilities] = d.capabilities
	}
	if len(meta) > 0 {
		params = maps.Clone(params)
		params["_meta"] = meta
	}
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(c.id), Method: method, Params: params}
	if !modern {
		return request, nil
	}
	text, err := json.Marshal(params)
	request.Header = d.headers(method, text)
	return request, err
}

// headers repeat parts of a request for those on the way who do not read bodies.
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

// learn keeps the schemas that ask for parameters in headers.
func (d *dialect) learn(tools []toolscript.Tool) {
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
