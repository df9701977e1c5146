package mcp

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// present writes the result of a tool as text, and records the text of each result. It does not repeat the text as
// structured content, because several clients would show a model both. A cancelled request gets no answer.
func (e *entrance) present(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, err := next(ctx, request)
		if s, is := notifierIn(ctx).(*stream); is && ctx.Err() != nil {
			s.drop()
		}
		if result == nil {
			return result, err
		}
		e.tell(result)
		runID := ""
		if structured := result.StructuredContent; structured != nil {
			if r, is := structured.(runResult); is {
				runID = r.Run
			}
			text, _ := json.Marshal(structured) // our own types always encode
			result.StructuredContent = nil
			result.Content = append([]mcp.Content{mcp.NewTextContent(string(plain(text)))}, result.Content...)
		}
		var text []byte
		for _, block := range result.Content {
			if t, is := block.(mcp.TextContent); is {
				text = append(text, t.Text...)
			}
		}
		e.Shown(request.Params.Name, runID, text)
		return result, err
	}
}

// recordDefinitions records the part of the tool list that a client gives to a model.
func (e *entrance) recordDefinitions() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, list *mcp.ListToolsResult) {
		var all []byte
		for _, t := range list.Tools {
			all = append(all, definition(t.Name, t.Description, t.RawInputSchema)...)
		}
		e.Shown(Definitions, "", all)
	})
	return hooks
}

// definition returns the part of a tool that a client gives to a model.
func definition(name, description string, input json.RawMessage) []byte {
	text, _ := json.Marshal(map[string]any{"name": name, "description": description, "inputSchema": input}) // a schema is JSON
	return text
}

// plain returns a JSON value without unnecessary escapes in strings, such as \u003c. It
// returns value itself if it is not one JSON value.
func plain(value []byte) []byte {
	text, err := jsontext.AppendFormat(nil, value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return value
	}
	return text
}
