package builtin

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

const listInput = `{"type": "object", "additionalProperties": false, "properties": {
	"server": {"type": "string", "minLength": 1, "description": "default: all servers"},
	"cursor": {"type": "string", "description": "nextCursor of the page before"}}}`

// ListResources is the tool listMcpResources.
var ListResources = tool.Tool{
	Name:        "listMcpResources",
	Title:       "List resources",
	Description: "List the resources of MCP servers. The content is JSON: {server, resources, nextCursor, missing}; missing are the servers that did not answer.",
	Input:       listInput,
	Output:      tool.ContentSchema("JSON: server, resources and nextCursor"),
	Annotations: tool.Reads(),
	Run:         tool.Func(list(toolscript.ListResources)),
}

// ListResourceTemplates is the tool listMcpResourceTemplates.
var ListResourceTemplates = tool.Tool{
	Name:  "listMcpResourceTemplates",
	Title: "List resource templates",
	Description: "List the resource templates of MCP servers, whose URIs have variables. The content is JSON: " +
		"{server, resourceTemplates, nextCursor, missing}; missing are the servers that did not answer.",
	Input:       listInput,
	Output:      tool.ContentSchema("JSON: server, resourceTemplates and nextCursor"),
	Annotations: tool.Reads(),
	Run:         tool.Func(list(toolscript.ListTemplates)),
}

// ReadResource is the tool readMcpResource.
var ReadResource = tool.Tool{
	Name:        "readMcpResource",
	Title:       "Read a resource",
	Description: "Read a resource of an MCP server. The content is its text; for other resources it is the JSON of the contents as MCP defines them.",
	Input: `{"type": "object", "required": ["server", "uri"], "additionalProperties": false, "properties": {
		"server": {"type": "string", "minLength": 1},
		"uri": {"type": "string", "minLength": 1}}}`,
	Output:      tool.ContentSchema("the text of the resource, or JSON"),
	Annotations: tool.Reads(),
	Run:         tool.Func(read),
}

type listArgs struct {
	Server string `json:"server"`
	Cursor string `json:"cursor"`
}

// list returns the function of a tool that lists one page.
func list(id string) func(context.Context, *tool.Workspace, listArgs) (tool.Content, error) {
	return func(ctx context.Context, w *tool.Workspace, args listArgs) (tool.Content, error) {
		raw, err := fetch(ctx, w, toolscript.FetchRequest{ID: id, Server: args.Server, Cursor: args.Cursor})
		if err != nil || args.Server == "" {
			return content(string(raw), err)
		}
		var page map[string]json.RawMessage
		if err := json.Unmarshal(raw, &page); err != nil {
			return tool.Content{}, err
		}
		page["server"], _ = json.Marshal(args.Server) // a string always encodes
		text, err := json.Marshal(page)
		return content(string(text), err)
	}
}

type readArgs struct {
	Server string `json:"server"`
	URI    string `json:"uri"`
}

func read(ctx context.Context, w *tool.Workspace, args readArgs) (tool.Content, error) {
	raw, err := fetch(ctx, w, toolscript.FetchRequest{ID: toolscript.ReadResource, Server: args.Server, URI: args.URI})
	if err != nil {
		return tool.Content{}, err
	}
	var resource struct {
		Contents []struct {
			Text *string `json:"text"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(raw, &resource); err != nil {
		return tool.Content{}, err
	}
	if len(resource.Contents) == 1 && resource.Contents[0].Text != nil {
		return content(*resource.Contents[0].Text, nil)
	}
	return content(string(raw), nil)
}

func content(text string, err error) (tool.Content, error) {
	if err != nil {
		return tool.Content{}, err
	}
	return tool.Content{Content: text, Success: true}, nil
}

func fetch(ctx context.Context, w *tool.Workspace, o toolscript.FetchRequest) (json.RawMessage, error) {
	if w.Fetch == nil {
		return nil, errors.New("this program has no other servers")
	}
	o.Run = tool.RunOf(ctx)
	if o.Server != "" { // a request to all servers waits for no server
		o.Wait = toolscript.ConnectWait
	}
	raw, err := w.Fetch(ctx, o)
	if err != nil {
		// The field Server stays empty, because the call is to this server; the text names the other one.
		return nil, &toolscript.Error{Kind: toolscript.KindOf(err), Err: errors.New(err.Error())}
	}
	return raw, nil
}
