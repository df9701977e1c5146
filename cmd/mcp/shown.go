package mcp

import (
	"context"
	"encoding/json"
	"slices"

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

// tell rewrites the messages of a result for an agent; see Options.Told. Values and the
// output of scripts stay the same.
func (e *entrance) tell(result *mcp.CallToolResult) {
	switch r := result.StructuredContent.(type) {
	case nil:
		for i, block := range result.Content {
			if t, is := block.(mcp.TextContent); is && result.IsError {
				result.Content[i] = mcp.NewTextContent(e.told(t.Text))
			}
		}
	case searchResult:
		r.Hint, r.Notices, r.Missing = e.told(r.Hint), e.all(r.Notices), slices.Clone(r.Missing)
		for i := range r.Missing {
			r.Missing[i].Error = e.told(r.Missing[i].Error)
		}
		result.StructuredContent = r
	case describeResult:
		r.Errors, r.Notices = e.all(r.Errors), e.all(r.Notices)
		result.StructuredContent = r
	case runResult:
		r.Notices = e.all(r.Notices)
		if r.Error != nil {
			failed := *r.Error
			failed.Message, r.Error = e.told(failed.Message), &failed
		}
		result.StructuredContent = r
	}
}

func (e *entrance) told(text string) string {
	if e.Told == nil {
		return text
	}
	return e.Told(text)
}

func (e *entrance) all(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = e.told(text)
	}
	return texts
}
