package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/api"
)

// appsExtension is MCP's extension for apps: pages of servers in a frame of the client.
const appsExtension = "io.modelcontextprotocol/ui"

// visitor describes a client, with the data that the client sends when its session begins or, since MCP 2026-07-28,
// in each request.
type visitor struct {
	apps bool // it shows apps
	toolscript.MCPClient
}

// clientIn returns what operators see of a client.
func clientIn(info mcp.Implementation) toolscript.MCPClient {
	return toolscript.MCPClient{Client: texts.Cut(info.Name, toolscript.MaxClient), Version: texts.Cut(info.Version, toolscript.MaxClient)}
}

// auditName returns the name of the client for the audit.
func (v visitor) auditName() string {
	return strings.TrimSpace("mcp " + v.Client + " " + v.Version)
}

// visitor returns the description of the client in a message.
func (m message) visitor() (v visitor) {
	var params struct {
		Capabilities mcp.ClientCapabilities `json:"capabilities"`
		ClientInfo   mcp.Implementation     `json:"clientInfo"`
	}
	if info := m.protocolInfo(); mcp.IsModernProtocol(info.ProtocolVersion) {
		if info.ClientCapabilities != nil {
			params.Capabilities = *info.ClientCapabilities
		}
		if info.ClientInfo != nil {
			params.ClientInfo = *info.ClientInfo
		}
	} else if strings.EqualFold(m.Method, string(mcp.MethodInitialize)) {
		_ = json.Unmarshal(m.Params, &params) // mcp-go answers an invalid message
	}
	settings, _ := params.Capabilities.Extensions[appsExtension].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	v.apps = slices.Contains(types, any(toolscript.PageType))
	v.MCPClient = clientIn(params.ClientInfo)
	return v
}

// appTool is a tool in the list for clients that show apps.
type appTool struct {
	api.ToolInfo
	name       string
	visibility []string // nil: models and apps
}

// appTools returns the tools of servers with apps, for a client that shows apps. A tool whose definition has a part
// about apps is listed under its id. A tool that apps may call is also listed under the server's own name, visible
// to apps only, because an app knows no other name. An own name that several tools have is left out, because it does
// not identify a server.
func appTools(ctx context.Context, g Gateway) ([]appTool, error) {
	all, err := g.AppTools(ctx)
	if err != nil {
		return nil, err
	}
	var listed []appTool
	owners := map[string]int{searchTool.Name: 1, describeTool.Name: 1, runTool.Name: 1}
	for _, t := range all.Tools {
		if t.UI != nil {
			listed = append(listed, appTool{t, servedID(t), visibilityOf(*t.UI)})
		}
		owners[servedID(t)]++
		owners[ownName(t)]++
	}
	for _, t := range all.Tools {
		if owners[ownName(t)] == 1 && (t.UI == nil || !t.UI.NoApps) {
			listed = append(listed, appTool{t, ownName(t), []string{"app"}})
		}
	}
	return listed, nil
}

func servedID(t api.ToolInfo) string { return toolscript.WithoutAccount(t.QualifiedName) }

// ownName returns the name that the server gave to a tool.
func ownName(t api.ToolInfo) string {
	if t.Original != nil {
		return t.Original.Name
	}
	return t.ToolName
}

func visibilityOf(ui toolscript.UI) []string {
	switch {
	case ui.NoModels:
		return []string{"app"}
	case ui.NoApps:
		return []string{"model"}
	}
	return nil
}

// entry returns the tool in the form of tools/list.
func (t appTool) entry() map[string]any {
	ui := map[string]any{}
	meta := map[string]any{"ui": ui}
	if t.UI != nil && t.UI.Page != "" {
		ui["resourceUri"] = servedURI(toolscript.PageScheme, t.ServerName, t.UI.Page)
		meta["ui/resourceUri"] = ui["resourceUri"] // some clients know only this older form
	}
	if t.visibility != nil {
		ui["visibility"] = t.visibility
	}
	entry := map[string]any{"name": t.name, "inputSchema": t.InputSchema, "_meta": meta}
	if t.Title != "" {
		entry["title"] = t.Title
	}
	if t.Description != "" {
		entry["description"] = t.Description
	}
	if len(t.OutputSchema) > 0 {
		entry["outputSchema"] = t.OutputSchema
	}
	if t.Annotations != (toolscript.Annotations{}) {
		entry["annotations"] = t.Annotations
	}
	return entry
}

// listTools answers tools/list for a client that shows apps: with the three tools of this server and the tools of
// appTools.
func (p *passed) listTools(ctx context.Context, g Gateway) (json.RawMessage, error) {
	tools, err := appTools(ctx, g)
	if err != nil {
		return nil, err
	}
	entries := []any{describeTool, runTool, searchTool}
	var shown []byte // definitions that the client gives to a model
	for _, t := range []mcp.Tool{describeTool, runTool, searchTool} {
		shown = append(shown, definition(t.Name, t.Description, t.RawInputSchema)...)
	}
	for _, t := range tools {
		entries = append(entries, t.entry())
		if t.visibility == nil || slices.Contains(t.visibility, "model") {
			shown = append(shown, definition(t.name, t.Description, t.InputSchema)...)
		}
	}
	p.entrance.Shown(Definitions, "", shown)
	return toolscript.PlainJSON(map[string]any{"tools": entries})
}

// callTool answers tools/call of a tool of an app.
func (p *passed) callTool(ctx context.Context, g Gateway, m message, v visitor) (json.RawMessage, error) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      *mcp.Meta       `json:"_meta"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	tools, err := appTools(ctx, g)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(tools, func(t appTool) bool { return t.name == params.Name })
	if at < 0 {
		return nil, unknownAppTool(ctx, g, params.Name)
	}
	if string(params.Arguments) == "null" {
		params.Arguments = nil
	}
	var told progress
	stop := told.notifying(ctx, params.Meta)
	result, err := g.CallTool(ctx, toolscript.Call{
		ID: tools[at].QualifiedName, Args: params.Arguments, Wait: toolscript.ConnectWait, Client: v.auditName(), FromApp: true,
		Progress: func(p toolscript.Progress) { told.report(p.String()) },
	})
	stop()
	var failed *toolscript.Error
	if errors.As(err, &failed) && failed.RPCCode == 0 {
		return toolscript.PlainJSON(&mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(p.entrance.told(err.Error()))}, IsError: true})
	}
	return result, err
}

// unknownAppTool returns the error for a name that no tool has, or that several tools have.
func unknownAppTool(ctx context.Context, g Gateway, name string) error {
	var ids []string
	all, err := g.AppTools(ctx)
	if err != nil {
		return err
	}
	for _, t := range all.Tools {
		if ownName(t) == name {
			ids = append(ids, servedID(t))
		}
	}
	if len(ids) > 1 {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("several servers have a tool %.60q: %s; "+
			"the client does not say whose app calls it: connect with a profile that has only one of the servers", name, strings.Join(ids, ", "))}
	}
	return &toolscript.Error{Kind: toolscript.Invalid, Err: errUnknownTool(name)}
}
