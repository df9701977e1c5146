package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// recordResult records the text of each result. The structured content says the same.
func (e *entrance) recordResult(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := next(ctx, request)
		if result == nil {
			return result, err
		}
		var text []byte
		for _, block := range result.Content {
			if t, is := block.(mcp.TextContent); is {
				text = append(text, t.Text...)
			}
		}
		runID := ""
		if r, is := result.StructuredContent.(runResult); is {
			runID = r.Run
		}
		e.Shown(request.Params.Name, runID, text)
		return result, err
	}
}

// recordDefinitions records what a client gives to a model of the list of the tools.
func (e *entrance) recordDefinitions() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, list *mcp.ListToolsResult) {
		var all []byte
		for _, t := range list.Tools {
			text, err := json.Marshal(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.RawInputSchema})
			if err != nil {
				continue // the schemas are constants
			}
			all = append(all, text...)
		}
		e.Shown(Definitions, "", all)
	})
	return hooks
}
